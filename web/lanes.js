// The lanes of all CPUs on a canvas: zoom, wake-up arrows, keys. Replaces the static list of lanes.
(function() {
'use strict';

var root = document.getElementById('lanes');
if (!root || !window.HTMLCanvasElement) return;
var kMostSlices = 24000;  // drawn one by one; beyond that busy shares per pixel
var kMostArrows = 3000;
var kLeastSpanNs = 200;
var kLaneGap = 6;  // px, with the lines of waiting tasks in it

function textOf(id) {
    return document.getElementById(id).textContent;
}
var info = JSON.parse(textOf('lanes-info'));
var data = wakelabLanes.decode(info, textOf('lanes-slices'), textOf('lanes-arrows'));
var cpus = info.slices.length;
var laneHeight = cpus <= 8 ? 34 : cpus <= 16 ? 28 : 22;

// State: the window in ns, the lane with the focus, the chosen slice.
var from = 0, to = info.span_ns, lane = 0, chosen = -1, arrowsOn = true, queued = false;
var colours = {};

// ---------------------------------------------------------------- document

function make(tag, attributes, parent, text) {
    var e = document.createElement(tag);
    Object.keys(attributes || {}).forEach(function(k) {
        e.setAttribute(k, attributes[k]);
    });
    if (text !== undefined) e.textContent = text;
    if (parent) parent.appendChild(e);
    return e;
}
function button(parent, words, label, action) {
    var b = make('button', {type: 'button', 'aria-label': label, title: label}, parent, words);
    b.addEventListener('click', action);
    return b;
}

var bar = make('div', {'class': 'bar', role: 'toolbar', 'aria-label': 'View of the lanes'}, root);
button(bar, '+', 'Zoom in (+)', function() {
    zoom(0.5);
});
button(bar, '−', 'Zoom out (-)', function() {
    zoom(2);
});
button(bar, '←', 'Earlier (left arrow)', function() {
    pan(-0.25);
});
button(bar, '→', 'Later (right arrow)', function() {
    pan(0.25);
});
button(bar, 'All', 'Everything (0)', showAll);
var arrowButton = button(bar, 'Arrows', 'Wake-up arrows on or off (a)', toggleArrows);
arrowButton.setAttribute('aria-pressed', 'true');
button(bar, 'Keys', 'Keys (?)', function() {
    help.showModal();
});
var where = make('span', {'class': 'where'}, bar);

var over = make('div', {'class': 'over'}, root);
make('span', {}, over, 'all CPUs');
var overview = make('canvas', {'class': 'overview', 'aria-hidden': 'true'}, over);
var axisRow = make('div', {'class': 'over', 'aria-hidden': 'true'}, root);
make('span', {}, axisRow);
var axis = make('canvas', {'class': 'axis-canvas'}, axisRow);
var view = make('div', {'class': 'view', role: 'group', 'aria-label': 'CPUs; ? lists the keys'}, root);
var labels = make('div', {'class': 'labels'}, view);
var stage = make('div', {'class': 'stage'}, view);
var canvas = make('canvas', {'aria-hidden': 'true'}, stage);
var status = make('p', {'class': 'info', role: 'status', 'aria-live': 'polite'}, root);
status.textContent = 'Point at a slice, or choose a lane with Tab and press n for its next slice.';
var legend = make('ul', {'class': 'legend', 'aria-label': 'Colours'}, root);
var help = makeHelp();

function makeHelp() {
    var d = make('dialog', {'aria-label': 'Keys of the lanes'}, root);
    make('h3', {}, d, 'Keys');
    var body = make('tbody', {}, make('table', {}, d));
    [['+  -', 'zoom in, out'], ['← →', 'earlier, later'], ['↑ ↓', 'lane above, below'],
     ['Home End', 'beginning, end'], ['0', 'everything'], ['n  p', 'next, previous slice of the lane'],
     ['Enter', 'zoom to the chosen slice'], ['w', 'to the waker of the chosen slice'],
     ['a', 'arrows on or off'], ['?  Esc', 'these keys; close them']]
        .forEach(function(row) {
            var tr = make('tr', {}, body);
            make('kbd', {}, make('td', {}, tr), row[0]);
            make('td', {}, tr, row[1]);
        });
    make(
        'p', {'class': 'hint'}, d,
        'Mouse: drag to move, Ctrl + wheel or double click to zoom, Shift + wheel to move.');
    button(d, 'Close', 'Close', function() {
        d.close();
    });
    return d;
}

var laneLabels = info.slices.map(function(count, cpu) {
    var b = make(
        'button', {type: 'button', 'class': 'label', tabindex: cpu === 0 ? '0' : '-1'}, labels, 'CPU ' + cpu);
    b.style.top = cpu * laneHeight + 'px';
    b.style.height = laneHeight + 'px';
    b.setAttribute(
        'aria-label',
        'CPU ' + cpu + ', ' + (100 * info.busy[cpu]).toFixed(1) + ' % busy, ' + count + ' slices');
    b.addEventListener('focus', function() {
        setLane(cpu, false);
    });
    return b;
});
labels.style.height = stage.style.height = cpus * laneHeight + 'px';
info.groups.slice(0, 12).forEach(function(name, g) {
    var li = make('li', {}, legend);
    make('span', {'class': 'swatch c' + g % 8}, li);
    li.appendChild(document.createTextNode(name));
});

// ---------------------------------------------------------------- words

function timeWords(ns, digits) {
    var units = [[1e9, ' s'], [1e6, ' ms'], [1e3, ' µs'], [1, ' ns']];
    for (var i = 0; i < 3; ++i)
        if (Math.abs(ns) >= units[i][0]) break;
    return (ns / units[i][0]).toPrecision(digits || 4).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') +
        units[i][1];
}
function taskName(t) {
    return info.tasks[t][0];
}

function arrowTo(cpu, start) {  // the wake-up that the slice beginning at `start` answers
    var a = data.arrows, i = wakelabLanes.upperBound(a.wake, start);
    for (var n = 0; i-- > 0 && n < 20000; ++n)
        if (a.cpu[i] === cpu && a.wake[i] + a.latency[i] === start) return i;
    return -1;
}
function sliceWords(cpu, i) {
    var l = data.lanes[cpu], a = data.arrows;
    var text = 'CPU ' + cpu + ': ' + taskName(l.task[i]) + ' from ' + timeWords(l.start[i], 9) + ' for ' +
        timeWords(l.span[i]);
    if (l.merged && l.merged[i] > 1)
        return text + ', ' + l.merged[i] + ' merged slices, ' + (100 * l.busy[i] / l.span[i]).toFixed(0) +
            ' % busy';
    var by = arrowTo(cpu, l.start[i]);
    if (by >= 0)
        text += '; woken by ' + (a.waker[by] < 0 ? 'an interrupt' : taskName(a.waker[by])) + ' on CPU ' +
            a.wakerCpu[by] + ', waited ' + timeWords(a.latency[by]);
    return text;
}

// ---------------------------------------------------------------- drawing

function readColours() {
    var style = getComputedStyle(document.documentElement);
    ['bg', 'panel', 'line', 'grid', 'text', 'muted', 'accent', 'busy', 'gap', 'arrow', 'on-c'].forEach(
        function(n) {
            colours[n] = style.getPropertyValue('--' + n).trim();
        });
    colours.groups = [];
    for (var g = 0; g < 8; ++g) colours.groups.push(style.getPropertyValue('--c' + g).trim());
}
function sized(c, width, height) {
    var ratio = window.devicePixelRatio || 1;
    if (c.width !== Math.round(width * ratio) || c.height !== Math.round(height * ratio)) {
        c.width = Math.round(width * ratio);
        c.height = Math.round(height * ratio);
        c.style.width = width + 'px';
        c.style.height = height + 'px';
    }
    var g = c.getContext('2d');
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    g.font = '11px system-ui, sans-serif';
    return g;
}

function drawBuckets(g, l, y, height, width) {
    var perPx = (to - from) / width, level = 0;
    while (level + 1 < l.levels.length && l.levels[level].width < perPx) ++level;
    var m = l.levels[level], first = Math.max(0, Math.floor(from / m.width));
    var last = Math.min(m.busy.length - 1, Math.floor(to / m.width)), w = Math.max(m.width / perPx, 1);
    var colour = '';
    for (var b = first; b <= last; ++b) {
        if (m.busy[b] === 0) continue;
        var c = colours.groups[m.group[b] % 8];
        if (c !== colour) g.fillStyle = colour = c;
        var h = Math.max(1, Math.min(1, m.busy[b]) * height);
        g.fillRect((b * m.width - from) / perPx, y + height - h, w, h);
    }
}
function drawSlices(g, cpu, range, y, height, width) {
    var l = data.lanes[cpu], perPx = (to - from) / width;
    for (var i = range[0]; i < range[1]; ++i) {
        var x = (l.start[i] - from) / perPx, w = l.span[i] / perPx;
        var h = l.busy ? height * Math.max(0.15, l.busy[i] / l.span[i]) : height;
        g.fillStyle = colours.groups[data.groupOf[l.task[i]] % 8];
        g.fillRect(x, y + height - h, Math.max(w - (w > 4 ? 0.7 : 0), 0.35), h);
        if (w > 30) {
            var left = Math.max(x, 0) + 4, name = taskName(l.task[i]);
            if (g.measureText(name).width < Math.min(x + w, width) - left - 3) {
                g.fillStyle = colours['on-c'];
                g.fillText(name, left, y + height / 2 + 4);
            }
        }
        if (cpu === lane && i === chosen) {
            g.strokeStyle = colours.text;
            g.lineWidth = 2;
            g.strokeRect(x, y, Math.max(w, 2), height);
        }
    }
}
function drawGaps(g, top, width) {
    g.fillStyle = colours.gap;
    info.gaps.forEach(function(gap) {
        var y = gap[0] * laneHeight - top, perPx = (to - from) / width;
        g.fillRect((gap[1] - from) / perPx, y, Math.max(1, gap[2] / perPx), laneHeight - kLaneGap);
    });
}
// From the edge of the waker's lane, at its time, to the gap below the wakee's lane, along it while the
// wakee waits, and up to where it runs.
function drawArrows(g, top, width, height) {
    var a = data.arrows, first = wakelabLanes.upperBound(a.wake, from),
        last = wakelabLanes.upperBound(a.wake, to);
    if (last - first > kMostArrows) return last - first;
    var perPx = (to - from) / width, inner = laneHeight - kLaneGap;
    for (var pass = 0; pass < 2; ++pass) {
        g.strokeStyle = g.fillStyle = pass ? colours.text : colours.arrow;
        g.globalAlpha = pass ? 1 : 0.75;
        g.lineWidth = pass ? 2 : 1;
        for (var i = first; i < last; ++i) {
            if (isChosen(i) !== (pass === 1)) continue;
            var same = a.wakerCpu[i] === a.cpu[i], above = a.wakerCpu[i] < a.cpu[i];
            var y0 = a.wakerCpu[i] * laneHeight - top + (same || above ? inner : 0);
            var bottom = a.cpu[i] * laneHeight - top + inner, y1 = bottom + kLaneGap / 2;
            if ((y0 < 0 && y1 < 0) || (y0 > height && y1 > height)) continue;
            var x0 = (a.wake[i] - from) / perPx, x1 = x0 + a.latency[i] / perPx;
            g.beginPath();
            g.moveTo(x0, y0);
            g.lineTo(x0, y1);
            g.lineTo(x1, y1);
            g.stroke();
            if (!same) g.fillRect(x0 - 1.5, y0 - 1.5, 3, 3);
            g.beginPath();
            g.moveTo(x1, bottom - 3);
            g.lineTo(x1 - 3, y1 + 1);
            g.lineTo(x1 + 3, y1 + 1);
            g.fill();
        }
    }
    g.globalAlpha = 1;
    return 0;
}
function isChosen(i) {
    if (chosen < 0) return false;
    var l = data.lanes[lane], a = data.arrows, start = l.start[chosen];
    if (a.cpu[i] === lane && a.wake[i] + a.latency[i] === start) return true;
    return a.wakerCpu[i] === lane && a.waker[i] === l.task[chosen] && a.wake[i] >= start &&
        a.wake[i] <= start + l.span[chosen];
}

function niceStep(span, count) {
    var raw = span / count, power = Math.pow(10, Math.floor(Math.log10(raw)));
    var f = [1, 2, 5, 10].find(function(x) {
        return x * power >= raw;
    });
    return f * power;
}
function drawAxis(width) {
    var g = sized(axis, width, 20), step = niceStep(to - from, Math.max(2, width / 130));
    g.fillStyle = colours.muted;
    g.textAlign = 'center';
    for (var t = Math.ceil(from / step) * step; t <= to; t += step) {
        var x = (t - from) / (to - from) * width;
        g.fillRect(x, 15, 1, 5);
        if (x > 24 && x < width - 24) g.fillText(timeWords(t, 9), x, 12);
    }
}
function drawOverview(width) {
    var g = sized(overview, width, 30), i;
    g.fillStyle = colours.panel;
    g.fillRect(0, 0, width, 30);
    var n = data.lanes[0] ? data.lanes[0].levels[data.lanes[0].levels.length - 1].busy.length : 0;
    g.fillStyle = colours.busy;
    for (i = 0; i < n; ++i) {
        var sum = 0;
        data.lanes.forEach(function(l) {
            sum += l.levels[l.levels.length - 1].busy[i];
        });
        var h = 28 * Math.min(1, sum / cpus);
        g.fillRect(i * width / n, 30 - h, width / n + 0.5, h);
    }
    g.strokeStyle = colours.accent;
    g.lineWidth = 2;
    var x0 = from / info.span_ns * width, x1 = to / info.span_ns * width;
    g.strokeRect(Math.min(x0 + 1, width - 4), 1, Math.max(x1 - x0 - 2, 2), 28);
}

function draw() {
    queued = false;
    var began = performance.now(), width = Math.max(stage.clientWidth, 50);
    var height = Math.min(view.clientHeight || 600, cpus * laneHeight), top = view.scrollTop;
    var g = sized(canvas, width, height);
    var firstCpu = Math.max(0, Math.floor(top / laneHeight)),
        lastCpu = Math.min(cpus, Math.ceil((top + height) / laneHeight));
    var most = Math.max(300, kMostSlices / Math.max(1, lastCpu - firstCpu)), drawn = 0, cpu,
        inner = laneHeight - kLaneGap;
    for (cpu = firstCpu; cpu < lastCpu; ++cpu) {
        g.fillStyle = colours.panel;
        g.fillRect(0, cpu * laneHeight - top, width, inner);
    }
    drawGaps(g, top, width);
    for (cpu = firstCpu; cpu < lastCpu; ++cpu) {
        var range = wakelabLanes.sliceRange(data.lanes[cpu], from, to), y = cpu * laneHeight - top;
        if (range[1] - range[0] > most)
            drawBuckets(g, data.lanes[cpu], y, inner, width);
        else
            drawSlices(g, cpu, range, y, inner, width);
        drawn += range[1] - range[0];
    }
    var hidden = arrowsOn ? drawArrows(g, top, width, height) : 0;
    drawAxis(width);
    drawOverview(width);
    where.textContent = timeWords(from, 9) + ' … ' + timeWords(to, 9) + ' (' + timeWords(to - from, 3) +
        ', ' + drawn + ' slices)' + (hidden ? '; zoom in to see ' + hidden + ' wake-ups' : '');
    root.dataset.frameMs = (performance.now() - began).toFixed(1);
}
function redraw() {
    if (!queued) {
        queued = true;
        requestAnimationFrame(draw);
    }
}

// ---------------------------------------------------------------- moving

function setWindow(a, b) {
    var span = Math.min(Math.max(b - a, kLeastSpanNs), info.span_ns);
    from = Math.min(Math.max(a, 0), info.span_ns - span);
    to = from + span;
    redraw();
}
function zoom(factor, centre) {
    var l = data.lanes[lane];
    if (centre === undefined)
        centre = chosen >= 0 && l.start[chosen] >= from && l.start[chosen] <= to ?
            l.start[chosen] + l.span[chosen] / 2 :
            (from + to) / 2;
    setWindow(centre - (centre - from) * factor, centre + (to - centre) * factor);
}
function pan(part) {
    setWindow(from + part * (to - from), to + part * (to - from));
}
function showAll() {
    setWindow(0, info.span_ns);
}
function toggleArrows() {
    arrowsOn = !arrowsOn;
    arrowButton.setAttribute('aria-pressed', String(arrowsOn));
    redraw();
}
function setLane(cpu, focus) {
    cpu = Math.min(Math.max(cpu, 0), cpus - 1);
    if (cpu !== lane) chosen = -1;
    laneLabels[lane].tabIndex = -1;
    laneLabels[lane].removeAttribute('aria-current');
    lane = cpu;
    laneLabels[cpu].tabIndex = 0;
    laneLabels[cpu].setAttribute('aria-current', 'true');
    if (focus) laneLabels[cpu].focus();
    redraw();
}
function choose(i) {
    var l = data.lanes[lane];
    if (i < 0 || i >= l.count) return;
    chosen = i;
    if (l.start[i] < from || l.start[i] + l.span[i] > to) {
        var span = Math.max(to - from, l.span[i] * 1.5);
        setWindow(l.start[i] + l.span[i] / 2 - span / 2, l.start[i] + l.span[i] / 2 + span / 2);
    }
    status.textContent = sliceWords(lane, i);
    redraw();
}
function next(step) {
    var l = data.lanes[lane];
    if (chosen >= 0) return choose(chosen + step);
    var range = wakelabLanes.sliceRange(l, from, to);
    choose(Math.min(step > 0 ? range[0] : range[1] - 1, l.count - 1));
}
function zoomToChosen() {
    if (chosen < 0) return;
    var l = data.lanes[lane], s = Math.max(l.span[chosen], 1000);
    setWindow(l.start[chosen] - s, l.start[chosen] + 2 * s);
}
function toWaker() {
    if (chosen < 0) return;
    var i = arrowTo(lane, data.lanes[lane].start[chosen]);
    if (i < 0 || data.arrows.waker[i] < 0) {
        status.textContent += ' – its waker is not known here.';
        return;
    }
    var cpu = data.arrows.wakerCpu[i], wake = data.arrows.wake[i];
    setLane(cpu, true);
    choose(Math.max(0, wakelabLanes.upperBound(data.lanes[cpu].start, wake) - 1));
}

var keys = {
    '+': function() {
        zoom(0.5);
    },
    '=': function() {
        zoom(0.5);
    },
    '-': function() {
        zoom(2);
    },
    '_': function() {
        zoom(2);
    },
    ArrowLeft: function() {
        pan(-0.2);
    },
    ArrowRight: function() {
        pan(0.2);
    },
    ArrowUp: function() {
        setLane(lane - 1, true);
    },
    ArrowDown: function() {
        setLane(lane + 1, true);
    },
    Home: function() {
        setWindow(0, to - from);
    },
    End: function() {
        setWindow(info.span_ns - (to - from), info.span_ns);
    },
    '0': showAll,
    n: function() {
        next(1);
    },
    p: function() {
        next(-1);
    },
    Enter: zoomToChosen,
    w: toWaker,
    a: toggleArrows,
    '?': function() {
        help.showModal();
    }
};
view.addEventListener('keydown', function(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || !Object.prototype.hasOwnProperty.call(keys, e.key)) return;
    e.preventDefault();
    keys[e.key]();
});

function at(e) {  // CPU and ns under the pointer
    var box = canvas.getBoundingClientRect();
    return {
        cpu: Math.floor((e.clientY - box.top + view.scrollTop) / laneHeight),
        ns: from + (e.clientX - box.left) / box.width * (to - from)
    };
}
var drag = null;
canvas.addEventListener('pointerdown', function(e) {
    drag = {x: e.clientX, from: from, to: to, moved: false};
    canvas.setPointerCapture(e.pointerId);
    canvas.classList.add('drag');
});
canvas.addEventListener('pointermove', function(e) {
    if (drag) {
        var by = (drag.x - e.clientX) / stage.clientWidth * (drag.to - drag.from);
        drag.moved = drag.moved || Math.abs(drag.x - e.clientX) > 3;
        if (drag.moved) setWindow(drag.from + by, drag.to + by);
        return;
    }
    var p = at(e);
    if (p.cpu < 0 || p.cpu >= cpus) return;
    var range = wakelabLanes.sliceRange(data.lanes[p.cpu], p.ns, p.ns);
    if (range[0] < range[1]) status.textContent = sliceWords(p.cpu, range[0]);
});
canvas.addEventListener('pointerup', function(e) {
    canvas.classList.remove('drag');
    if (drag && !drag.moved) {
        var p = at(e),
            range =
                p.cpu >= 0 && p.cpu < cpus ? wakelabLanes.sliceRange(data.lanes[p.cpu], p.ns, p.ns) : [0, 0];
        drag = null;
        if (p.cpu >= 0 && p.cpu < cpus) setLane(p.cpu, true);
        if (range[0] < range[1]) choose(range[0]);
    }
    drag = null;
});
canvas.addEventListener('dblclick', function(e) {
    zoom(0.25, at(e).ns);
});
canvas.addEventListener('wheel', function(e) {
    if (e.ctrlKey) {
        e.preventDefault();
        zoom(e.deltaY > 0 ? 1.25 : 0.8, at(e).ns);
    } else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
        e.preventDefault();
        pan((e.deltaX || e.deltaY) / 1000);
    }
}, {passive: false});
overview.addEventListener('click', function(e) {
    var box = overview.getBoundingClientRect(), t = (e.clientX - box.left) / box.width * info.span_ns;
    setWindow(t - (to - from) / 2, t + (to - from) / 2);
});
view.addEventListener('scroll', redraw);
window.addEventListener('resize', redraw);
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', function() {
    readColours();
    redraw();
});

readColours();
document.getElementById('lanes-static').hidden = true;
laneLabels[0].setAttribute('aria-current', 'true');
draw();
root.dataset.slices = String(data.lanes.reduce(function(n, l) {
    return n + l.count;
}, 0));
root.dataset.arrows = String(data.arrows.count);
root.dataset.ready = '1';
})();
