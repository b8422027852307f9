#include "src/commands/queries/running.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "src/commands/wall_clock.h"
#include "src/output/clock_text.h"

namespace dbtrace::commands {
namespace {

constexpr std::chrono::nanoseconds kSoonest = std::chrono::milliseconds(100);
constexpr std::chrono::nanoseconds kLatest = std::chrono::seconds(1);
// The wall clock that starts are told in is compared with the kernel's anew at each look.
constexpr uint64_t kClockError_ns = 5'000'000;

constexpr std::string_view kHome = "\x1b[H";
constexpr std::string_view kEraseLine = "\x1b[K";
constexpr std::string_view kEraseBelow = "\x1b[J";

std::string heading(size_t count) {
  output::ClockText clock(output::Zone::Local, "%H:%M:%S");
  return fmt::format("{}  {} running\n",
                     clock.at(nanoseconds_of(CLOCK_REALTIME) / output::kNanosecondsPerSecond),
                     count);
}

// Lines that overwrite what the screen shows.
std::string over_the_screen(std::string_view lines, size_t height) {
  std::string screen(kHome);
  // The last line of a screen scrolls it when it ends.
  for (size_t left = height - 1; left > 0 && !lines.empty(); --left) {
    const size_t end = lines.find('\n');
    screen.append(lines.substr(0, end)).append(kEraseLine).append("\n");
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  return screen.append(kEraseBelow);
}

}  // namespace

Pace pace_of(const RunningOptions& options) {
  if (options.show) return Pace::from_now(std::chrono::nanoseconds(options.interval_ns));
  if (options.report_ns)
    return Pace::from_now(
        std::clamp(std::chrono::nanoseconds(*options.report_ns / 10), kSoonest, kLatest));
  return {};
}

bool OncePerCommand::is_new(const model::Query& query) {
  const Key key{query.pid, query.connection_id.has_value(),
                query.connection_id.value_or(query.tid)};
  const auto known = before_.find(key);
  const bool is_known = known != before_.end() && query.start_ns < known->second + kClockError_ns;
  return now_.emplace(key, is_known ? known->second : query.start_ns).second && !is_known;
}

void OncePerCommand::look_ended() { before_ = std::exchange(now_, {}); }

void longest_first(std::vector<model::Query>& queries) {
  std::ranges::stable_sort(queries, [](const model::Query& a, const model::Query& b) {
    return std::pair(a.start_known, b.duration_ns) < std::pair(b.start_known, a.duration_ns);
  });
}

void RunningTable::write(output::Sink& sink, output::Format format, size_t height,
                         std::string& out) {
  longest_first(queries_);
  std::string lines;
  const bool is_text = format == output::Format::Text;
  if (is_text) {
    lines = heading(queries_.size());
    sink.begin(lines);
  }
  for (const model::Query& query : queries_) sink.write(query, lines);
  if (is_text && height == 0) lines += '\n';
  out += is_text && height != 0 ? over_the_screen(lines, height) : lines;
  queries_.clear();
}

}  // namespace dbtrace::commands
