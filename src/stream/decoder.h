// From the bytes that the BPF programs send to Query and IoOperation values.
//
// Events are checked, then copied, never cast: a wrong size, an unknown kind or
// an inner length that does not fit makes an event malformed, and malformed
// events are counted and dropped. Links without libbpf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "bpf/event.h"
#include "profiles/profile.h"
#include "src/model/io_operation.h"
#include "src/model/query.h"
#include "src/stream/annexes.h"
#include "src/stream/event_source.h"
#include "src/stream/files.h"

namespace dbtrace::stream {

// Not thread-safe. Memory is bounded: so many sessions and files as it is told, and what waits for
// its command (annexes.h).
class Decoder {
 public:
  // `most`: sessions, and files, that it remembers (Files).
  explicit Decoder(std::vector<EventSource> sources, size_t most = Files::kMost);

  // Takes one event. Returns the query that it completes, else nullptr; the
  // query is valid until the next call.
  const model::Query* feed(std::span<const std::byte> event);

  // The file operation that the last event given to feed() told of, else nullptr;
  // valid until the next call of feed().
  [[nodiscard]] const model::IoOperation* operation() const {
    return has_operation_ ? &operation_ : nullptr;
  }

  // CLOCK_REALTIME minus CLOCK_MONOTONIC, in nanoseconds. Set it now and then:
  // the wall clock may be stepped. Less than a millisecond's change is taken for
  // the inexactness of reading two clocks: a command's start stays what it was.
  void set_clock_offset(uint64_t nanoseconds);

  // A time of a query or an operation that was just decoded, as CLOCK_MONOTONIC has it.
  [[nodiscard]] uint64_t monotonic(uint64_t wall_ns) const { return wall_ns - clock_offset_; }

  // Files::take_renamed() of its files.
  [[nodiscard]] Files::Renamed take_renamed_files() { return files_.take_renamed(); }

  [[nodiscard]] uint64_t malformed() const { return malformed_; }

  // The plan of this index, which events refer to.
  [[nodiscard]] const EventSource& source(size_t plan) const { return sources_.at(plan); }

 private:
  struct SessionKey {
    uint64_t session;
    uint32_t tgid;
    friend bool operator==(const SessionKey&, const SessionKey&) = default;
  };
  struct SessionHash {
    size_t operator()(const SessionKey& key) const;
  };
  struct Session {
    uint64_t connection_id = 0;
    std::optional<std::string> user;
    std::optional<std::string> host;
    std::optional<std::string> ip;
    std::optional<std::string> application;
  };

  // False: the event is malformed.
  bool feed_checked(std::span<const std::byte> event);
  bool feed_command(std::span<const std::byte> bytes);
  bool feed_session(std::span<const std::byte> bytes);
  bool feed_operation(std::span<const std::byte> bytes);
  void set_text(const dbt_command_event& event, const EventSource& source,
                const profiles::Command* command, std::string_view text);
  void set_session(const dbt_command_event& event);

  std::vector<EventSource> sources_;
  size_t most_sessions_;
  std::unordered_map<SessionKey, Session, SessionHash> sessions_;
  Files files_;
  Annexes annexes_;
  model::Query query_;
  model::IoOperation operation_;
  bool has_query_ = false;  // of the last event
  bool has_operation_ = false;
  uint64_t clock_offset_ = 0;
  uint64_t malformed_ = 0;
};

}  // namespace dbtrace::stream
