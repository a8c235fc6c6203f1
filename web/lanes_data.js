// The slices and wake-ups of a page: decoding and levels of detail. No document in here, so that it can
// be tested anywhere. The format is written by src/report/html/lanes_data.cpp.
var wakelabLanes = (function() {
    'use strict';

    var kLeastBuckets = 1024;
    var kMostBuckets = 1 << 19;

    // Text of base64, white space allowed, to bytes.
    function bytesOf(text) {
        var raw = atob(text);
        var bytes = new Uint8Array(raw.length);
        for (var i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
        return bytes;
    }

    // Unsigned LEB128. Numbers above 2^53 do not occur: they are ns of one recording.
    function Reader(bytes) {
        this.bytes = bytes;
        this.at = 0;
    }
    Reader.prototype.next = function() {
        var bytes = this.bytes, b = bytes[this.at++], value = b & 127, factor = 128;
        while (b > 127) {
            b = bytes[this.at++];
            value += (b & 127) * factor;
            factor *= 128;
        }
        return value;
    };

    function readLane(reader, count) {
        var lane = {
            count: count,
            start: new Float64Array(count),
            span: new Float64Array(count),
            busy: null,
            merged: null,
            task: new Uint32Array(count),
            levels: null
        };
        var now = 0;
        for (var i = 0; i < count; ++i) {
            now += reader.next();
            var span = reader.next(), word = reader.next();
            lane.start[i] = now;
            lane.span[i] = span;
            lane.task[i] = word >>> 1;
            if (word & 1) {
                if (!lane.busy) {
                    lane.busy = Float64Array.from(lane.span);
                    lane.merged = new Uint32Array(count).fill(1);
                }
                lane.busy[i] = reader.next();
                lane.merged[i] = reader.next();
            } else if (lane.busy) {
                lane.busy[i] = span;
            }
            now += span;
        }
        return lane;
    }

    function readArrows(reader, count) {
        var a = {
            count: count,
            wake: new Float64Array(count),
            latency: new Float64Array(count),
            wakerCpu: new Uint16Array(count),
            cpu: new Uint16Array(count),
            waker: new Int32Array(count),
            wakee: new Uint32Array(count)
        };
        var now = 0;
        for (var i = 0; i < count; ++i) {
            now += reader.next();
            a.wake[i] = now;
            a.latency[i] = reader.next();
            a.wakerCpu[i] = reader.next();
            a.cpu[i] = reader.next();
            a.wakee[i] = reader.next();
            a.waker[i] = reader.next() - 1;  // -1: an interrupt
        }
        return a;
    }

    // Busy share and the group that ran most, per bucket; level 0 is the finest, each next one has half
    // as many buckets.
    function buildLevels(lane, spanNs, groupOf) {
        var n = kLeastBuckets;
        while (n < lane.count / 2 && n < kMostBuckets) n *= 2;
        var width = spanNs / n, busy = new Float32Array(n), most = new Float32Array(n),
            group = new Uint8Array(n);
        for (var i = 0; i < lane.count; ++i) {
            var start = lane.start[i], span = lane.span[i], g = groupOf[lane.task[i]];
            var density = lane.busy ? lane.busy[i] / span : 1;
            var first = Math.floor(start / width), last = Math.min(n - 1, Math.floor((start + span) / width));
            for (var b = first; b <= last; ++b) {
                var part =
                    (Math.min(start + span, (b + 1) * width) - Math.max(start, b * width)) * density / width;
                if (part <= 0) continue;
                busy[b] += part;
                if (g === group[b])
                    most[b] += part;
                else if (part > most[b]) {
                    most[b] = part;
                    group[b] = g;
                }
            }
        }
        var levels = [{width: width, busy: busy, group: group}];
        while (n > 256) {
            n /= 2;
            width *= 2;
            var below = levels[levels.length - 1], up = new Float32Array(n), upGroup = new Uint8Array(n);
            for (var j = 0; j < n; ++j) {
                var x = below.busy[2 * j], y = below.busy[2 * j + 1];
                up[j] = (x + y) / 2;
                upGroup[j] = below.group[x >= y ? 2 * j : 2 * j + 1];
            }
            levels.push({width: width, busy: up, group: upGroup});
        }
        lane.levels = levels;
    }

    // First index whose value is above t.
    function upperBound(values, t) {
        var low = 0, high = values.length;
        while (low < high) {
            var mid = (low + high) >> 1;
            if (values[mid] <= t)
                low = mid + 1;
            else
                high = mid;
        }
        return low;
    }

    // [first, last) of the slices of a lane that touch [from, to].
    function sliceRange(lane, from, to) {
        var first = upperBound(lane.start, from);
        if (first > 0 && lane.start[first - 1] + lane.span[first - 1] > from) --first;
        return [first, upperBound(lane.start, to)];
    }

    // info: the object of #lanes-info; the others: base64.
    function decode(info, slices, arrows) {
        var groupOf = new Uint8Array(info.tasks.length);
        for (var t = 0; t < groupOf.length; ++t) groupOf[t] = Math.min(info.tasks[t][1], 255);
        var reader = new Reader(bytesOf(slices));
        var lanes = info.slices.map(function(count) {
            return readLane(reader, count);
        });
        lanes.forEach(function(lane) {
            buildLevels(lane, info.span_ns, groupOf);
        });
        return {lanes: lanes, arrows: readArrows(new Reader(bytesOf(arrows)), info.arrows), groupOf: groupOf};
    }

    return {decode: decode, sliceRange: sliceRange, upperBound: upperBound};
})();
if (typeof module !== 'undefined') module.exports = wakelabLanes;
