// Numbers of the fields that are written, after Perfetto's protos/perfetto/trace: trace.proto,
// trace_packet.proto, trace_packet_defaults.proto, clock_snapshot.proto,
// track_event/{track_event,track_descriptor,process_descriptor,debug_annotation}.proto,
// interned_data/interned_data.proto. They never change.
#pragma once

#include <cstdint>

namespace dbtrace::output::perfetto {

namespace trace {
inline constexpr uint32_t kPacket = 1;
}

namespace packet {
inline constexpr uint32_t kClockSnapshot = 6;
inline constexpr uint32_t kTimestamp = 8;
inline constexpr uint32_t kSequence = 10;  // trusted_packet_sequence_id
inline constexpr uint32_t kTrackEvent = 11;
inline constexpr uint32_t kInternedData = 12;
inline constexpr uint32_t kSequenceFlags = 13;
inline constexpr uint32_t kDefaults = 59;  // trace_packet_defaults
inline constexpr uint32_t kTrackDescriptor = 60;
inline constexpr uint32_t kFirstOnSequence = 87;

// Values of kSequenceFlags: what was interned before is forgotten; it is needed to be read.
inline constexpr uint32_t kCleared = 1, kNeeded = 2;
}  // namespace packet

namespace packet_defaults {
inline constexpr uint32_t kClock = 58;  // timestamp_clock_id
}

namespace clock_snapshot {
inline constexpr uint32_t kClocks = 1;
inline constexpr uint32_t kPrimaryClock = 2;  // primary_trace_clock

inline constexpr uint32_t kClockId = 1, kClockTimestamp = 2;  // of one of the clocks
inline constexpr uint32_t kRealtime = 1;                      // the clock of the wall
}  // namespace clock_snapshot

namespace track {
inline constexpr uint32_t kUuid = 1;
inline constexpr uint32_t kName = 2;
inline constexpr uint32_t kProcess = 3;
inline constexpr uint32_t kParent = 5;  // parent_uuid

inline constexpr uint32_t kPid = 1, kProcessName = 6;  // of kProcess
}  // namespace track

namespace event {
inline constexpr uint32_t kAnnotations = 4;  // debug_annotations
inline constexpr uint32_t kType = 9;
inline constexpr uint32_t kNameId = 10;  // name_iid
inline constexpr uint32_t kTrack = 11;   // track_uuid
inline constexpr uint32_t kFlows = 47;   // flow_ids
inline constexpr uint32_t kEndingFlows = 48;

inline constexpr uint32_t kSliceBegin = 1, kSliceEnd = 2;  // values of kType
}  // namespace event

namespace annotation {
inline constexpr uint32_t kNameId = 1;  // name_iid
inline constexpr uint32_t kBool = 2;
inline constexpr uint32_t kUint = 3;
inline constexpr uint32_t kInt = 4;
inline constexpr uint32_t kText = 6;
inline constexpr uint32_t kMembers = 11;   // dict_entries
inline constexpr uint32_t kElements = 12;  // array_values
}  // namespace annotation

namespace interned {
inline constexpr uint32_t kEventNames = 2;
inline constexpr uint32_t kAnnotationNames = 3;

inline constexpr uint32_t kId = 1, kText = 2;  // of each of them
}  // namespace interned

}  // namespace dbtrace::output::perfetto
