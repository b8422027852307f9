// Messages on their way to a collector. A thread of its own sends them, so that a collector that is
// slow, or not there, holds up nobody.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "src/http/post.h"
#include "src/otlp/backoff.h"
#include "src/otlp/outcome.h"

namespace dbtrace::otlp {

enum class Signal : uint8_t { Metrics, Traces };
inline constexpr size_t kSignals = 2;
// "metrics", "traces"
[[nodiscard]] std::string_view name_of(Signal signal);

struct Message {
  Signal signal = Signal::Metrics;
  uint64_t items = 0;  // points or spans
  std::string body;
};

struct Collector {
  http::Url url;
  std::vector<http::Header> headers;
};

// For use by one thread. Memory is bounded: beyond it, what has waited longest goes, and is
// counted.
class Sender {
 public:
  static constexpr size_t kMostBytes = 8 * 1024 * 1024;  // that wait
  static constexpr std::chrono::seconds kPatience{10};   // with one answer

  // Items. What waits is in neither.
  struct Counts {
    uint64_t sent = 0;
    uint64_t dropped = 0;  // found no room, were refused, or were left at the end
  };

  // The thread begins at once; it keeps no capabilities. `agent`: who sends, as HTTP names it.
  Sender(Collector collector, std::string agent);
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;
  ~Sender() { finish(std::chrono::milliseconds(0)); }

  void add(Message message);
  [[nodiscard]] Counts counts(Signal signal) const;
  // Lines for the user: when sending begins to fail and when it works again, and what a collector
  // has to say, once.
  [[nodiscard]] std::vector<std::string> take_news();
  // Sends what waits, for this long; each once more at most. Nothing is sent after it.
  void finish(std::chrono::milliseconds patience);

 private:
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;

  void work();
  [[nodiscard]] std::optional<Message> next();
  void send(Message message);
  void take(const Message& message, const Outcome& outcome);
  void refuse(const Message& message, int status);
  void put_back(Message message, const std::string& why,
                std::optional<std::chrono::seconds> asked_for);
  void drop(const Message& message);
  void make_room();
  void say_once(std::string line);

  const Collector collector_;
  const std::string agent_;
  Backoff backoff_;  // the thread's

  mutable std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::deque<Message> waiting_;
  size_t bytes_ = 0;  // of waiting_
  std::array<Counts, kSignals> counts_{};
  std::vector<std::string> news_, said_;
  bool failing_ = false;
  Clock::time_point not_before_{};                 // …is anything sent
  std::optional<Clock::time_point> finish_until_;  // once finish() is called

  std::thread thread_;
};

}  // namespace dbtrace::otlp
