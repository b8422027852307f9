#include "src/commands/top/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/commands/queries/running.h"
#include "src/output/clock_text.h"
#include "src/output/histogram_text.h"

namespace dbtrace::commands::top {
namespace {

constexpr uint64_t kSecond_ns = output::kNanosecondsPerSecond;
constexpr uint64_t kMinute_ns = 60 * kSecond_ns;
// More than a server has threads: a file may say anything.
constexpr size_t kMostRunning = 20'000;

std::string describe(const std::vector<recording::ServerNote>& servers) {
  if (servers.empty()) return "unknown server";
  const recording::ServerNote& server = servers.back();
  std::string text = server.title;
  if (server.version) text += " " + *server.version;
  if (server.pid) text += fmt::format(" (pid {})", *server.pid);
  if (servers.size() > 1) text += fmt::format(" and {} more", servers.size() - 1);
  return text;
}

// As it was known then.
model::Query still_running(const model::Query& query, uint64_t duration_ns) {
  model::Query running;
  running.start_ns = query.start_ns;
  running.duration_ns = duration_ns;
  running.running = true;
  running.start_known = query.start_known;
  running.pid = query.pid;
  running.tid = query.tid;
  running.flavor = query.flavor;
  running.command_id = query.command_id;
  running.command = query.command;
  running.statement_id = query.statement_id;
  running.parent_id = query.parent_id;
  running.depth = query.depth;
  running.connection_id = query.connection_id;
  running.user = query.user;
  running.host = query.host;
  running.ip = query.ip;
  running.application = query.application;
  running.database = query.database;
  running.text_state = query.text_state;
  running.text = query.text;
  running.text_length = query.text_length;
  running.is_fingerprint = query.is_fingerprint;
  running.query_id = query.query_id;
  return running;
}

}  // namespace

Recorded::Recorded(Replay& replay, const TopOptions& options, const model::Filter& filter)
    : replay_(replay),
      filter_(filter),
      intervals_(replay.reader().begin_ns(), replay.reader().end_ns(), options.interval_ns),
      state_(kind_options(options, replay.has_several_servers()),
             {.time_ns = 0, .lost = replay.lost(), .waits = {}, .spent_ns = 0}) {
  replay_.choose(options.choice, true);
}

Result<std::unique_ptr<Recorded>> Recorded::open(Replay& replay, const TopOptions& options,
                                                 const model::Filter& filter, uint64_t at_ns) {
  std::unique_ptr<Recorded> recorded(new Recorded(replay, options, filter));
  if (auto read = recorded->read_all(); !read) return tl::unexpected(read.error());
  const Intervals& intervals = recorded->intervals_;
  if (auto shown = recorded->show(intervals.interval_of(intervals.moment(at_ns))); !shown)
    return tl::unexpected(shown.error());
  return recorded;
}

Recorded::Times Recorded::times_of(const model::Query& query) const {
  const uint64_t longest_ns = UINT64_MAX - query.start_ns;
  return {intervals_.moment(query.start_ns),
          intervals_.moment(query.start_ns + std::min(query.duration_ns, longest_ns))};
}

std::span<const uint32_t> Recorded::kinds_of(uint64_t key) {
  std::vector<uint32_t>& kinds = kinds_of_keys_[key];
  if (kinds.empty()) kinds = {state_.kind_named("(unknown)")};
  return kinds;
}

void Recorded::add(const model::Query& query, const Times& times, Part& part) {
  if (query.kind) return state_.add_example(query);
  state_.add(query, times.end / kSecond_ns);
  part.spent.add_waits(query);
  // What a statement spends is its command's time, too.
  if (query.command != model::kStatement)
    part.spent.ns += times.end - std::max(times.begin, part.from);
}

Result<void> Recorded::add_sums(Part& part, std::optional<uint64_t> second) {
  const uint64_t from_ns = part.from == 0 ? 0 : intervals_.wall_ns(part.from);
  const uint64_t to_ns = part.to > intervals_.all_ns() ? INT64_MAX : intervals_.wall_ns(part.to);
  const auto sums = replay_.reader().sums(from_ns, to_ns);
  if (!sums) return tl::unexpected(sums.error());
  for (const auto& [key, of_key] : *sums) {
    const std::span<const uint32_t> kinds = kinds_of(key);
    state_.add(kinds, of_key);
    part.spent.add(of_key);
    if (second) {
      seconds_.add(*second, kinds, {of_key.count, of_key.total_ns});
      tally_.shown += of_key.count;
    }
  }
  return {};
}

// Second by second: all together would not tell which.
Result<void> Recorded::add_all_sums(Part& part) {
  std::vector<uint64_t> seconds;
  for (const uint64_t end_ns : replay_.reader().stretch_ends())
    seconds.push_back(intervals_.moment(end_ns) / kSecond_ns);
  std::ranges::sort(seconds);
  const auto rest = std::ranges::unique(seconds);
  seconds.erase(rest.begin(), rest.end());
  for (const uint64_t second : seconds) {
    part.from = second * kSecond_ns;
    part.to = part.from + kSecond_ns;
    if (auto added = add_sums(part, second); !added) return added;
  }
  return {};
}

Result<void> Recorded::read_all() {
  const auto examples = replay_.reader().examples();
  if (!examples) return tl::unexpected(examples.error());
  for (const model::Query& example : *examples) {
    const std::span<const uint32_t> kinds = state_.kinds_of(example);
    kinds_of_keys_[example.kind].assign(kinds.begin(), kinds.end());
  }
  Part all;
  auto read = replay_.each([&](const model::Query& query) {
    const Times times = times_of(query);
    index_.add(replay_.reader().id(), times.begin, times.end);
    if (!query.kind && !filter_.accepts(query)) {
      ++tally_.filtered;
      return true;
    }
    add(query, times, all);
    if (query.kind) return true;
    seconds_.add(times.end / kSecond_ns, state_.kinds_of(query), {1, query.duration_ns});
    ++tally_.shown;
    return true;
  });
  if (read) read = add_all_sums(all);
  has_budgets_ = all.spent.has_budgets;
  state_.end_interval(look(intervals_.all_ns(), std::move(all.spent)));
  return read;
}

Result<void> Recorded::add_ended(Part& part) {
  const auto take = [&](const model::Query& query) {
    const Times times = times_of(query);
    const bool is_wanted = times.end >= part.from && times.end < part.to;
    if (is_wanted && (query.kind || filter_.accepts(query))) add(query, times, part);
    return true;
  };
  for (const recording::Ids& ids : index_.ended(part.from, part.to))
    if (auto read = replay_.each_of(ids, take); !read) return read;
  return replay_.reader().is_sampled() ? add_sums(part, std::nullopt) : Result<void>();
}

Result<void> Recorded::add_running(uint64_t moment, Part& part) {
  std::vector<model::Query> running;
  const auto take = [&](const model::Query& query) {
    const Times times = times_of(query);
    if (times.begin >= moment || times.end <= moment) return true;
    model::Query then = still_running(query, moment - times.begin);
    if (!filter_.accepts(then)) return true;
    if (!query.kind && query.command != model::kStatement)
      part.spent.ns += moment - std::max(times.begin, part.from);
    if (running.size() < kMostRunning) running.push_back(std::move(then));
    return true;
  };
  for (const recording::Ids& ids : index_.spanning(moment))
    if (auto read = replay_.each_of(ids, take); !read) return read;
  longest_first(running);
  state_.set_running(std::move(running));
  return {};
}

Look Recorded::look(uint64_t moment, Spent spent) const {
  Look look{.time_ns = moment, .lost = replay_.lost(), .waits = {}, .spent_ns = spent.ns};
  if (has_budgets_) look.waits = std::move(spent.waits);
  return look;
}

Result<void> Recorded::show(uint64_t interval) {
  const uint64_t begin = intervals_.begin_of(interval), end = intervals_.end_of(interval);
  Part part{.from = begin, .to = intervals_.is_last(interval) ? UINT64_MAX : end};
  if (auto added = add_ended(part); !added) return added;
  if (auto added = add_running(end, part); !added) return added;
  state_.look_back(look(begin, {}), look(end, std::move(part.spent)),
                   seconds_.minute_before(end / kSecond_ns, state_.kinds()));
  interval_ = interval;
  return {};
}

void Recorded::go(uint64_t back, uint64_t on) {
  const uint64_t from = interval_ - std::min(interval_, back);
  const uint64_t to = from + std::min(on, intervals_.count() - 1 - from);
  if (read_ && to != interval_) read_ = show(to);
}

void Recorded::act(const Action& action) {
  const uint64_t minute = std::max<uint64_t>(kMinute_ns / intervals_.length_ns(), 1);
  switch (action.what) {
    case Action::What::StepBack:
      return go(1, 0);
    case Action::What::StepOn:
      return go(0, 1);
    case Action::What::MinuteBack:
      return go(minute, 0);
    case Action::What::MinuteOn:
      return go(0, minute);
    case Action::What::ToBegin:
      return go(UINT64_MAX, 0);
    case Action::What::ToEnd:
      return go(0, UINT64_MAX);
    default:
      return;
  }
}

About Recorded::about() const {
  const uint64_t end = intervals_.end_of(interval_);
  output::ClockText clock(output::Zone::Local, "%m-%d %H:%M:%S");
  return {
      .clock = fmt::format("Recorded {}", clock.at(intervals_.wall_ns(end) / kSecond_ns)),
      .progress = fmt::format("{} of {}", output::rounded_duration(end),
                              output::rounded_duration(intervals_.all_ns())),
      .server = describe(replay_.servers()),
      .keys = "F1-F4 pages  Enter open  s sort  / filter  Space play  , . step  < > ends  ? help",
      .not_running = "Of a recording: those that ended later. What never ended is not in it.",
      .not_waiting = "Of a recording: the budgets of queries that have ended."};
}

}  // namespace dbtrace::commands::top
