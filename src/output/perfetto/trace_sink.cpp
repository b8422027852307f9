#include <fmt/format.h>

#include <iterator>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <utility>

#include "src/output/escape.h"
#include "src/output/perfetto/arguments.h"
#include "src/output/perfetto/fields.h"
#include "src/output/perfetto/lane.h"
#include "src/output/perfetto/perfetto.h"
#include "src/output/perfetto/query_arguments.h"
#include "src/output/perfetto/span.h"

namespace dbtrace::output::perfetto {
namespace {

using protozero::pbf_writer;

constexpr uint32_t kSequence = 1;    // all packets are of one writer
constexpr size_t kMostName = 200;    // columns of a slice's name; its text has the rest
constexpr uint64_t kFirstTrack = 1;  // 0 is the trace's own

class TraceSink final : public Sink {
 public:
  TraceSink(TraceOptions options, Survey survey)
      : options_(std::move(options)),
        survey_(std::move(survey)),
        server_ids_(options_.servers.size()) {
    survey_.flows.connect();
    for (size_t number = 0; number < options_.servers.size(); ++number) {
      const Server& server = options_.servers[number];
      if (server.pid) servers_by_pid_.try_emplace(*server.pid, number);
      servers_by_flavor_.emplace(server.flavor, number);
    }
  }

  void begin(std::string& out) override;

 private:
  // Where the slices of a session are: one lane, as long as they fit.
  struct Track {
    Lanes lanes;
    std::vector<uint64_t> ids;  // of the lanes
  };

  void format(const Shown& shown, std::string& out) override;
  [[nodiscard]] uint64_t track_of(const model::Query& query, std::string& out);
  [[nodiscard]] uint64_t add_track(size_t session, size_t lane, std::string& out);
  [[nodiscard]] uint64_t parent_of(size_t session, std::string& out);
  [[nodiscard]] uint64_t add_server(const Server& server, std::string& out);
  void begin_slice(const Shown& shown, uint64_t track, std::string& out);
  void end_slice(const model::Query& query, uint64_t track, std::string& out);
  void write_packet(uint32_t field, const std::string& message, std::optional<uint64_t> time_ns,
                    std::string& out);

  TraceOptions options_;
  Survey survey_;
  std::vector<Track> tracks_;                  // by session
  std::map<uint32_t, size_t> servers_by_pid_;  // the first of each
  std::multimap<std::string, size_t> servers_by_flavor_;
  std::vector<uint64_t> server_ids_;  // 0: not told yet
  uint64_t next_track_ = kFirstTrack;
  size_t next_query_ = 0;
  Interned event_names_{interned::kEventNames}, argument_names_{interned::kAnnotationNames};
  std::string message_, told_, name_;
};

// The first packet says which clock all times are of.
void TraceSink::begin(std::string& out) {
  pbf_writer trace(out);
  pbf_writer packet(trace, trace::kPacket);
  packet.add_uint32(packet::kSequence, kSequence);
  packet.add_uint32(packet::kSequenceFlags, packet::kCleared | packet::kNeeded);
  packet.add_bool(packet::kFirstOnSequence, true);
  {
    pbf_writer defaults(packet, packet::kDefaults);
    defaults.add_uint32(packet_defaults::kClock, clock_snapshot::kRealtime);
  }
  pbf_writer snapshot(packet, packet::kClockSnapshot);
  {
    pbf_writer clock(snapshot, clock_snapshot::kClocks);
    clock.add_uint32(clock_snapshot::kClockId, clock_snapshot::kRealtime);
    clock.add_uint64(clock_snapshot::kClockTimestamp, options_.begin_ns);
  }
  snapshot.add_enum(clock_snapshot::kPrimaryClock, clock_snapshot::kRealtime);
}

void TraceSink::format(const Shown& shown, std::string& out) {
  const uint64_t track = track_of(shown.query, out);
  begin_slice(shown, track, out);
  end_slice(shown.query, track, out);
  ++next_query_;
}

uint64_t TraceSink::track_of(const model::Query& query, std::string& out) {
  const size_t session = survey_.sessions.add(query);
  if (tracks_.size() <= session) tracks_.resize(session + 1);
  Track& track = tracks_[session];
  const size_t lane = track.lanes.take(query.start_ns, end_of(query), query.depth == 0);
  if (lane == track.ids.size()) track.ids.push_back(add_track(session, lane, out));
  return track.ids[lane];
}

uint64_t TraceSink::add_track(size_t session, size_t lane, std::string& out) {
  const uint64_t parent = parent_of(session, out);
  const uint64_t id = next_track_++;
  std::string name = survey_.sessions.name(session);
  if (lane > 0) name += fmt::format(" ({})", lane + 1);
  message_.clear();
  pbf_writer track(message_);
  track.add_uint64(track::kUuid, id);
  track.add_string(track::kName, name);
  if (parent != 0) track.add_uint64(track::kParent, parent);
  write_packet(packet::kTrackDescriptor, message_, std::nullopt, out);
  return id;
}

// The server of that process; of those whose sessions are processes of their own, the only one of
// its flavor. 0: nobody knows.
uint64_t TraceSink::parent_of(size_t session, std::string& out) {
  const auto server = servers_by_pid_.find(survey_.sessions.pid(session));
  const auto others = servers_by_flavor_.equal_range(survey_.sessions.flavor(session));
  const bool is_only = others.first != others.second && std::next(others.first) == others.second;
  if (server == servers_by_pid_.end() && !is_only) return 0;
  const size_t number = server != servers_by_pid_.end() ? server->second : others.first->second;
  uint64_t& id = server_ids_[number];
  if (id == 0) id = add_server(options_.servers[number], out);
  return id;
}

uint64_t TraceSink::add_server(const Server& server, std::string& out) {
  const uint64_t id = next_track_++;
  name_.clear();
  append_visible(name_, server.title);
  message_.clear();
  pbf_writer track(message_);
  track.add_uint64(track::kUuid, id);
  if (server.pid) {
    pbf_writer process(track, track::kProcess);
    process.add_int32(track::kPid, static_cast<int32_t>(*server.pid));
    process.add_string(track::kProcessName, name_);
  } else {
    track.add_string(track::kName, name_);
  }
  write_packet(packet::kTrackDescriptor, message_, std::nullopt, out);
  return id;
}

void TraceSink::begin_slice(const Shown& shown, uint64_t track, std::string& out) {
  name_.clear();
  append_visible(name_, options_.name(shown.query), kMostName);
  message_.clear();
  pbf_writer event(message_);
  event.add_enum(event::kType, event::kSliceBegin);
  event.add_uint64(event::kTrack, track);
  event.add_uint64(event::kNameId, event_names_.of(name_, told_));
  for (const uint64_t flow : survey_.flows.from(next_query_))
    event.add_fixed64(event::kFlows, flow + 1);  // 0 is none
  Arguments arguments(event, event::kAnnotations, {argument_names_, told_});
  add_query(shown, name_, arguments);
  write_packet(packet::kTrackEvent, message_, shown.query.start_ns, out);
}

// An arrow to a query ends here: its end comes after the blocker's begin, its own begin may not.
void TraceSink::end_slice(const model::Query& query, uint64_t track, std::string& out) {
  message_.clear();
  pbf_writer event(message_);
  event.add_enum(event::kType, event::kSliceEnd);
  event.add_uint64(event::kTrack, track);
  if (survey_.flows.leads_to(next_query_)) event.add_fixed64(event::kEndingFlows, next_query_ + 1);
  write_packet(packet::kTrackEvent, message_, end_of(query), out);
}

void TraceSink::write_packet(uint32_t field, const std::string& message,
                             std::optional<uint64_t> time_ns, std::string& out) {
  pbf_writer trace(out);
  pbf_writer packet(trace, trace::kPacket);
  packet.add_uint32(packet::kSequence, kSequence);
  packet.add_uint32(packet::kSequenceFlags, packet::kNeeded);
  if (time_ns) packet.add_uint64(packet::kTimestamp, *time_ns);
  packet.add_message(field, message);
  if (!told_.empty()) packet.add_message(packet::kInternedData, told_);
  told_.clear();
}

}  // namespace

std::unique_ptr<Sink> make_perfetto_sink(TraceOptions options, Survey survey) {
  return std::make_unique<TraceSink>(std::move(options), std::move(survey));
}

}  // namespace dbtrace::output::perfetto
