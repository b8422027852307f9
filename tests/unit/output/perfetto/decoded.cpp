#include "tests/unit/output/perfetto/decoded.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "tests/protobuf/protoc.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;

void must(bool is_so, const std::string& what) {
  if (!is_so) throw std::runtime_error("the trace: " + what);
}

// The only value of a field that has one.
template <typename Value>
Value one(const json& message, const char* field) {
  must(message.contains(field) && message[field].size() == 1, std::string("one ") + field);
  return message[field][0].get<Value>();
}
template <typename Value>
Value one_or(const json& message, const char* field, Value otherwise) {
  return message.contains(field) ? one<Value>(message, field) : otherwise;
}
std::vector<uint64_t> all(const json& message, const char* field) {
  return message.contains(field) ? message[field].get<std::vector<uint64_t>>()
                                 : std::vector<uint64_t>();
}

using Names = std::map<uint64_t, std::string>;

void learn(const json& interned, const char* field, Names& names) {
  if (!interned.contains(field)) return;
  for (const json& entry : interned[field])
    must(names.emplace(one<uint64_t>(entry, "iid"), one<std::string>(entry, "name")).second,
         "a name is told twice");
}

json value_of(const json& annotation, const Names& names);

json members_of(const json& annotations, const Names& names) {
  json members = json::object();
  for (const json& each : annotations) {
    const std::string& name = names.at(one<uint64_t>(each, "name_iid"));
    must(!members.contains(name), "two arguments are called " + name);
    members[name] = value_of(each, names);
  }
  return members;
}

json value_of(const json& annotation, const Names& names) {
  if (annotation.contains("dict_entries")) return members_of(annotation["dict_entries"], names);
  if (annotation.contains("array_values")) {
    json list = json::array();
    for (const json& each : annotation["array_values"]) list.push_back(value_of(each, names));
    return list;
  }
  for (const char* field : {"uint_value", "int_value", "string_value"})
    if (annotation.contains(field)) return annotation[field][0];
  return one<std::string>(annotation, "bool_value") == "true";
}

struct Track {
  std::string name;
  std::string process;
  uint64_t pid = 0;
  uint64_t parent = 0;
  std::vector<size_t> open;  // slices
};

class Decoder {
 public:
  DecodedTrace decode(const json& trace) {
    std::vector<const json*> events;
    for (const json& packet : trace.at("packet")) {
      must(one<uint64_t>(packet, "trusted_packet_sequence_id") == 1, "one sequence");
      if (&packet == &trace["packet"].front()) first(packet);
      if (packet.contains("interned_data")) {
        learn(packet["interned_data"][0], "event_names", event_names_);
        learn(packet["interned_data"][0], "debug_annotation_names", argument_names_);
      }
      if (packet.contains("track_descriptor")) add_track(packet["track_descriptor"][0]);
      if (!packet.contains("track_event")) continue;
      must(tracks_.contains(one<uint64_t>(packet["track_event"][0], "track_uuid")),
           "tracks come before their events");
      events.push_back(&packet);
    }
    std::ranges::stable_sort(
        events, {}, [](const json* packet) { return one<uint64_t>(*packet, "timestamp"); });
    for (const json* packet : events)
      event(one<uint64_t>(*packet, "timestamp"), (*packet)["track_event"][0]);
    for (const auto& [id, track] : tracks_) must(track.open.empty(), "all slices end");
    return std::move(result_);
  }

 private:
  void first(const json& packet) {
    must(one<uint64_t>(packet, "sequence_flags") == 3, "nothing comes before the first packet");
    must(one<uint64_t>(packet["trace_packet_defaults"][0], "timestamp_clock_id") == 1, "a clock");
    const json& clock = packet["clock_snapshot"][0];
    must(one<std::string>(clock, "primary_trace_clock") == "BUILTIN_CLOCK_REALTIME", "the clock");
    must(one<uint64_t>(clock["clocks"][0], "clock_id") == 1, "the clock's number");
    result_.begin_ns = one<uint64_t>(clock["clocks"][0], "timestamp");
  }

  void add_track(const json& descriptor) {
    Track track{.name = one_or<std::string>(descriptor, "name", ""),
                .process = {},
                .parent = one_or<uint64_t>(descriptor, "parent_uuid", 0),
                .open = {}};
    if (descriptor.contains("process")) {
      track.process = one<std::string>(descriptor["process"][0], "process_name");
      track.pid = one<uint64_t>(descriptor["process"][0], "pid");
    }
    must(track.parent == 0 || tracks_.contains(track.parent), "parents come first");
    must(tracks_.emplace(one<uint64_t>(descriptor, "uuid"), std::move(track)).second,
         "a track is told twice");
  }

  void event(uint64_t time_ns, const json& event) {
    Track& track = tracks_.at(one<uint64_t>(event, "track_uuid"));
    if (one<std::string>(event, "type") == "TYPE_SLICE_BEGIN") {
      Slice slice{.track = track.name,
                  .server = {},
                  .name = event_names_.at(one<uint64_t>(event, "name_iid")),
                  .begin_ns = time_ns,
                  .depth = track.open.size(),
                  .arguments = members_of(event.at("debug_annotations"), argument_names_),
                  .flows_out = all(event, "flow_ids"),
                  .flows_in = {}};
      if (track.parent != 0) {
        const Track& parent = tracks_.at(track.parent);
        slice.server = parent.process.empty() ? parent.name : parent.process;
        slice.pid = parent.pid;
      }
      track.open.push_back(result_.slices.size());
      for (const uint64_t flow : slice.flows_out) flow_from_[flow] = result_.slices.size();
      result_.slices.push_back(std::move(slice));
      return;
    }
    must(!track.open.empty(), "ends have begins");
    const size_t slice = track.open.back();
    track.open.pop_back();
    result_.slices[slice].end_ns = time_ns;
    result_.slices[slice].flows_in = all(event, "terminating_flow_ids");
    for (const uint64_t flow : result_.slices[slice].flows_in)
      result_.arrows.emplace_back(flow_from_.at(flow), slice);
  }

  Names event_names_, argument_names_;
  std::map<uint64_t, Track> tracks_;
  std::map<uint64_t, size_t> flow_from_;
  DecodedTrace result_;
};

}  // namespace

DecodedTrace decode_trace(const std::string& bytes) {
  const json trace = decode_protobuf(bytes, TRACE_PROTO, "perfetto.protos.Trace");
  (void)trace.dump();  // throws for what is not UTF-8
  return Decoder().decode(trace);
}

}  // namespace dbtrace::testing
