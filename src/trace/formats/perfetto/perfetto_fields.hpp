// Field numbers of the Perfetto trace protos, as far as we read or write them. Source: google/perfetto,
// protos/perfetto/trace/; the file of each message is named beside it. Numbers of a published proto never
// change their meaning.
#pragma once

#include <cstdint>
#include <string_view>

namespace wakelab::trace::perfetto {

// In SystemInfo.tracing_service_version: a file of ours, in which a flush mark means that nothing before it
// has been left out.
inline constexpr std::string_view kOwnVersion = "wakelab " WAKELAB_VERSION;
inline constexpr std::string_view kOwnName = "wakelab ";

// A Trace (trace.proto) is nothing but packets.
inline constexpr std::uint32_t kTracePacket = 1;

namespace packet {  // trace_packet.proto, TracePacket
inline constexpr std::uint32_t kFtraceEvents = 1;
inline constexpr std::uint32_t kProcessTree = 2;
inline constexpr std::uint32_t kClockSnapshot = 6;
inline constexpr std::uint32_t kTimestamp = 8;
inline constexpr std::uint32_t kSequenceId = 10;  // trusted_packet_sequence_id
inline constexpr std::uint32_t kTrackEvent = 11;
inline constexpr std::uint32_t kInternedData = 12;
inline constexpr std::uint32_t kSequenceFlags = 13;
inline constexpr std::uint32_t kPreviousPacketDropped = 42;
inline constexpr std::uint32_t kSystemInfo = 45;
inline constexpr std::uint32_t kCompressedPackets = 50;
inline constexpr std::uint32_t kTrackDescriptor = 60;
inline constexpr std::uint32_t kCpuInfo = 67;
inline constexpr std::uint32_t kServiceEvent = 69;
inline constexpr std::uint32_t kMachineId = 98;
inline constexpr std::uint32_t kZstdCompressedPackets = 133;
}  // namespace packet

enum SequenceFlags : std::uint32_t { kIncrementalStateCleared = 1, kNeedsIncrementalState = 2 };

// perfetto/tracing_service_event.proto: everything up to this packet's place has been written.
inline constexpr std::uint32_t kAllDataSourcesFlushed = 3;

namespace bundle {  // ftrace/ftrace_event_bundle.proto, FtraceEventBundle
inline constexpr std::uint32_t kCpu = 1;
inline constexpr std::uint32_t kEvent = 2;
inline constexpr std::uint32_t kLostEvents = 3;
inline constexpr std::uint32_t kCompactSched = 4;
inline constexpr std::uint32_t kFtraceClock = 5;
}  // namespace bundle

namespace compact {  // FtraceEventBundle.CompactSched: columns, one entry per event
inline constexpr std::uint32_t kSwitchTimestamp = 1;  // first absolute, then deltas
inline constexpr std::uint32_t kSwitchPrevState = 2;
inline constexpr std::uint32_t kSwitchNextPid = 3;
inline constexpr std::uint32_t kSwitchNextPrio = 4;
inline constexpr std::uint32_t kInternTable = 5;  // names
inline constexpr std::uint32_t kSwitchNextCommIndex = 6;
inline constexpr std::uint32_t kWakingTimestamp = 7;
inline constexpr std::uint32_t kWakingPid = 8;
inline constexpr std::uint32_t kWakingTargetCpu = 9;
inline constexpr std::uint32_t kWakingPrio = 10;
inline constexpr std::uint32_t kWakingCommIndex = 11;
inline constexpr std::uint32_t kWakingCommonFlags = 12;
}  // namespace compact

// FtraceClock: the clock of a bundle's events; 0 or absent is "boot".
enum class FtraceClock : std::uint32_t { kBoot, kUnknown, kGlobal, kLocal, kMonoRaw };

namespace event {  // ftrace/ftrace_event.proto, FtraceEvent; the number of the event is its type
inline constexpr std::uint32_t kTimestamp = 1;
inline constexpr std::uint32_t kPid = 2;
inline constexpr std::uint32_t kCommonFlags = 5;
inline constexpr std::uint32_t kSchedSwitch = 4;
inline constexpr std::uint32_t kCpuFrequency = 11;
inline constexpr std::uint32_t kCpuIdle = 13;
inline constexpr std::uint32_t kSchedWakeup = 17;
inline constexpr std::uint32_t kSchedBlockedReason = 18;
inline constexpr std::uint32_t kSchedWaking = 20;
inline constexpr std::uint32_t kIpiRaise = 23;
inline constexpr std::uint32_t kSoftirqEntry = 24;
inline constexpr std::uint32_t kSoftirqExit = 25;
inline constexpr std::uint32_t kIrqHandlerEntry = 36;
inline constexpr std::uint32_t kIrqHandlerExit = 37;
inline constexpr std::uint32_t kSchedWakeupNew = 114;
inline constexpr std::uint32_t kTaskNewtask = 235;
inline constexpr std::uint32_t kTaskRename = 236;
inline constexpr std::uint32_t kSchedProcessExec = 237;
inline constexpr std::uint32_t kSchedProcessExit = 238;
inline constexpr std::uint32_t kSchedProcessFork = 239;
inline constexpr std::uint32_t kSchedProcessFree = 240;
inline constexpr std::uint32_t kSysEnter = 329;
inline constexpr std::uint32_t kSysExit = 330;
inline constexpr std::uint32_t kSchedMigrateTask = 491;
}  // namespace event

// Fields of the events, named for what we use: ftrace/{sched,irq,power,raw_syscalls,ipi,task}.proto.
namespace sched_switch {
inline constexpr std::uint32_t kPrevComm = 1, kPrevPid = 2, kPrevPrio = 3, kPrevState = 4;
inline constexpr std::uint32_t kNextComm = 5, kNextPid = 6, kNextPrio = 7;
}
namespace wakeup {  // sched_waking, sched_wakeup, sched_wakeup_new
inline constexpr std::uint32_t kComm = 1, kPid = 2, kPrio = 3, kSuccess = 4, kTargetCpu = 5;
}
namespace migrate {
inline constexpr std::uint32_t kComm = 1, kPid = 2, kPrio = 3, kOrigCpu = 4, kDestCpu = 5;
}
namespace process_fork {
inline constexpr std::uint32_t kParentComm = 1, kParentPid = 2, kChildComm = 3, kChildPid = 4;
}
namespace newtask {
inline constexpr std::uint32_t kPid = 1, kComm = 2;
}
namespace process_exec {
inline constexpr std::uint32_t kFilename = 1, kPid = 2;
}
namespace process_exit {
inline constexpr std::uint32_t kComm = 1, kPid = 2, kTgid = 3;
}
namespace blocked_reason {
inline constexpr std::uint32_t kPid = 1, kCaller = 2, kIoWait = 3;
}
namespace cpu_state {  // cpu_idle and cpu_frequency
inline constexpr std::uint32_t kState = 1, kCpuId = 2;
}
namespace irq {  // irq_handler_* (irq) and softirq_* (vec)
inline constexpr std::uint32_t kNumber = 1;
}
namespace syscall {  // sys_enter, sys_exit
inline constexpr std::uint32_t kId = 1, kRet = 2;
}
namespace ipi_raise {
inline constexpr std::uint32_t kTargetCpus = 1, kReason = 2;  // one bit per CPU below 32
}

namespace process_tree {  // ps/process_tree.proto
inline constexpr std::uint32_t kProcesses = 1, kThreads = 2;
inline constexpr std::uint32_t kProcessPid = 1, kProcessPpid = 2, kProcessCmdline = 3;
inline constexpr std::uint32_t kProcessCmdlineIsComm = 9;
inline constexpr std::uint32_t kThreadTid = 1, kThreadName = 2, kThreadTgid = 3;
}

namespace system_info {  // common/system_info.proto
inline constexpr std::uint32_t kUtsname = 1, kServiceVersion = 4, kNumCpus = 8;
inline constexpr std::uint32_t kSysname = 1, kVersion = 2, kRelease = 3, kMachine = 4;  // of Utsname
}
inline constexpr std::uint32_t kCpuInfoCpus = 1;  // system_info/cpu_info.proto

namespace clock_snapshot {  // clock_snapshot.proto
inline constexpr std::uint32_t kClocks = 1, kPrimaryTraceClock = 2;
inline constexpr std::uint32_t kClockId = 1, kTimestamp = 2;  // of Clock
inline constexpr std::uint32_t kMonotonic = 3, kBoottime = 6;  // common/builtin_clock.proto
}

namespace track {  // track_event/{track_descriptor,thread_descriptor,counter_descriptor}.proto
inline constexpr std::uint32_t kUuid = 1, kName = 2, kThread = 4, kParentUuid = 5, kCounter = 8;
inline constexpr std::uint32_t kDescription = 14, kChildOrdering = 11, kSiblingOrderRank = 12;
inline constexpr std::uint32_t kOrderingExplicit = 3;
inline constexpr std::uint32_t kThreadPid = 1, kThreadTid = 2, kThreadName = 5;
inline constexpr std::uint32_t kCounterUnitName = 6, kCounterShareKey = 7;
}

namespace track_event {  // track_event/track_event.proto
inline constexpr std::uint32_t kDebugAnnotations = 4, kType = 9, kNameIid = 10, kTrackUuid = 11;
inline constexpr std::uint32_t kCounterValue = 30, kFlowIds = 47, kTerminatingFlowIds = 48;
inline constexpr std::int32_t kInstant = 3, kCounter = 4;  // Type
}
namespace annotation {  // track_event/debug_annotation.proto
inline constexpr std::uint32_t kNameIid = 1, kBool = 2, kUint = 3, kInt = 4, kString = 6, kStringIid = 17;
}
namespace interned {  // interned_data/interned_data.proto; each entry is {iid, name or str}
inline constexpr std::uint32_t kEventNames = 2, kAnnotationNames = 3, kAnnotationStrings = 29;
inline constexpr std::uint32_t kIid = 1, kName = 2;
}

}  // namespace wakelab::trace::perfetto
