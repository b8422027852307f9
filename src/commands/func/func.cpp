#include "src/commands/func/func.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>

#include "src/attach/function_plan.h"
#include "src/attach/function_tracer.h"
#include "src/attach/preflight.h"
#include "src/commands/func/arguments.h"
#include "src/commands/func/counting.h"
#include "src/commands/func/report.h"
#include "src/commands/messages.h"
#include "src/commands/no_match.h"
#include "src/commands/program_choice.h"
#include "src/commands/run.h"
#include "src/commands/target_choice.h"
#include "src/commands/visible_lines.h"
#include "src/commands/wall_clock.h"
#include "src/output/writer.h"
#include "src/sandbox/sandbox.h"
#include "symbols/process_maps.h"

namespace dbtrace::commands {
namespace {

constexpr int kPollMilliseconds = 100;
constexpr uint64_t kDefaultInterval = 1'000'000'000;

// While tracing, messages must not wait for a terminal that takes none.
void say(output::Writer& messages, std::string_view text) { (void)messages.write(text); }

// What is traced, found before anything is touched.
struct Prepared {
  Program program;
  UniqueFd binary;
  attach::FunctionPlan plan;
  std::vector<Argument> arguments;
};

Result<Program> choose(const FuncOptions& options) {
  if (!options.pid && options.executable.empty()) {
    const auto servers = choose_servers({});
    if (!servers) return tl::unexpected(servers.error());
    const target::Server& server = servers->front();
    return Program{server.pid, server.executable, server.attach_path, server.root};
  }
  if (!options.pid) return Program{0, options.executable, options.executable, ""};
  auto program = choose_program(std::to_string(*options.pid));
  if (program && !options.executable.empty())
    program->name = program->attach_path = options.executable;
  return program;
}

Result<std::vector<Argument>> parse_arguments(const FuncOptions& options) {
  std::vector<Argument> arguments;
  for (const std::string& typed : options.arguments) {
    auto argument = parse_argument(typed);
    if (!argument) return tl::unexpected(argument.error());
    arguments.push_back(std::move(*argument));
  }
  if (arguments.size() > DBT_FUNC_ARGUMENTS)
    return fail(fmt::format("{} arguments are too many: {} can be shown", arguments.size(),
                            DBT_FUNC_ARGUMENTS));
  return arguments;
}

// The places that any of the patterns means. A pattern that finds nothing is told
// of; an error when all do.
Result<std::vector<symbols::Location>> find(symbols::Finder& finder,
                                            const std::vector<symbols::Pattern>& patterns) {
  std::vector<symbols::Location> locations;
  std::vector<Error> failures;
  for (const symbols::Pattern& pattern : patterns) {
    symbols::Matches matches = finder.match(pattern);
    if (matches.locations.empty())
      failures.push_back(
          nothing_found(finder, pattern, matches, "`dbtrace symbols … --where` shows where else"));
    std::ranges::move(matches.locations, std::back_inserter(locations));
  }
  if (locations.empty()) return tl::unexpected(failures.front());
  for (const Error& failure : failures) (void)complain(failure, kFailed);
  return locations;
}

// A file that a process has not mapped has no calls there, like the host's libc
// for a server in a container.
void warn_of_file_not_mapped(const Program& program, const symbols::ElfFile& binary) {
  if (program.pid == 0) return;
  const auto maps = symbols::read_maps(program.pid);
  if (!maps) return;
  const uint64_t inode = binary.inode().second;
  if (std::ranges::any_of(*maps, [inode](const auto& mapping) { return mapping.inode == inode; }))
    return;
  fmt::print(stderr, "note: process {0} has not mapped {1}, so it does not call it; /proc/{0}/maps has "
                     "what it maps, under /proc/{0}/root\n",
             program.pid, visible_lines(program.name));
}

Result<Prepared> prepare(const FuncOptions& options, Program program,
                         const std::vector<symbols::Pattern>& patterns,
                         std::vector<Argument> arguments) {
  auto finder = open_symbols(program, finder_options(options.debug));
  if (!finder) return tl::unexpected(finder.error());
  warn_of_file_not_mapped(program, finder->binary());
  auto locations = find(*finder, patterns);
  warn_of_debug_file(*finder, options.debug);
  if (!locations) return tl::unexpected(locations.error());
  auto plan =
      attach::plan_functions(*finder, std::move(*locations),
                             {.durations = options.latency,
                              .trust_addresses = options.trust_addresses,
                              .most = options.most_functions});
  if (!plan) return tl::unexpected(plan.error());
  return Prepared{std::move(program), finder->binary().duplicate_fd(), std::move(*plan),
                  std::move(arguments)};
}

std::string remarks(const Prepared& prepared) {
  std::string text;
  const auto add = [&text](const std::string& line) {
    if (!line.empty()) text += visible_lines(line) + "\n";
  };
  add(attach::lines(prepared.plan.not_probed, "not probed: "));
  add(attach::lines(prepared.plan.remarks, "note: "));
  for (const Argument& argument : prepared.arguments)
    for (const attach::PlannedFunction& function : prepared.plan.functions)
      if (const std::string text_of_it = doubt(argument, function.name, function.parameters);
          !text_of_it.empty())
        add("note: " + text_of_it);
  return text;
}

std::string counted(uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string attached(const Prepared& prepared, const attach::FunctionTracer& tracer) {
  const Program& program = prepared.program;
  return fmt::format("attached to {} ({}) of {}{} with {}; Ctrl-C ends\n",
                     counted(tracer.functions(), "function"), counted(tracer.probes(), "probe"),
                     visible_lines(program.name),
                     program.pid ? fmt::format(" (pid {})", program.pid) : " (every process)",
                     attach::mechanism_name(tracer.mechanism()));
}

// From numbers and events to bytes.
class FuncLog {
 public:
  FuncLog(const FuncOptions& options, const Prepared& prepared, attach::FunctionTracer& tracer,
          output::Writer& writer)
      : options_(options),
        plan_(prepared.plan),
        arguments_(prepared.arguments),
        tracer_(tracer),
        writer_(writer),
        report_(make_func_report(options.format)) {
    // Histograms are shown at the end, unless they are asked for more often.
    if (arguments_.empty() && (!options.latency || options.interval_ns))
      interval_ns_ = options.interval_ns.value_or(kDefaultInterval);
    use_width();
  }

  void use_width() { report_->set_width(writer_.width()); }

  Tick tick() {
    bool more = false;
    if (!arguments_.empty()) {
      more = drain();
    } else if (const uint64_t now = nanoseconds_of(CLOCK_MONOTONIC);
               interval_ns_ && now >= interval_begin_ + interval_ns_) {
      report({false, nanoseconds_of(CLOCK_REALTIME), now - std::exchange(interval_begin_, now)});
    }
    flush();
    return status_ != output::WriteStatus::Ok ? Tick::End : more ? Tick::Busy : Tick::Idle;
  }

  // After the probes are gone.
  void finish() {
    if (!arguments_.empty()) {
      while (drain()) {
      }
    } else {
      growth_ = {};
      report({true, nanoseconds_of(CLOCK_REALTIME), nanoseconds_of(CLOCK_MONOTONIC) - begin_});
    }
    flush();
  }

  [[nodiscard]] output::WriteStatus status() const { return status_; }
  [[nodiscard]] Result<std::string> summary() const;

 private:
  bool drain() {
    const uint64_t offset = wall_clock_offset();
    return tracer_.drain([&](std::span<const std::byte> event) {
      const auto call = decode_call(event, arguments_.size());
      if (!call || call->function >= plan_.functions.size()) {
        ++malformed_;
        return;
      }
      report_->call(*call, call->time_ns + offset, plan_.functions[call->function], arguments_,
                    buffer_);
      ++pending_;
      if (buffer_.size() >= kFlushBytes) flush();
    });
  }

  void report(const Span& span) {
    if (options_.by_thread) {
      const auto threads = growth_.of(tracer_.threads());
      report_->counts(span, thread_counts(plan_, threads), buffer_);
    } else if (options_.latency) {
      report_->durations(
          span, durations(plan_, growth_.of(tracer_.numbers()), growth_.of(tracer_.durations())),
          buffer_);
    } else {
      report_->counts(span, call_counts(plan_, growth_.of(tracer_.numbers())), buffer_);
    }
  }

  void flush() {
    std::string_view rest = buffer_;
    if (status_ == output::WriteStatus::Ok && !rest.empty()) status_ = writer_.write(rest);
    if (status_ == output::WriteStatus::Ok) shown_ += pending_;
    pending_ = 0;
    buffer_.clear();
  }

  static constexpr size_t kFlushBytes = 64 * 1024;

  const FuncOptions& options_;
  const attach::FunctionPlan& plan_;
  const std::vector<Argument>& arguments_;
  attach::FunctionTracer& tracer_;
  output::Writer& writer_;
  std::unique_ptr<FuncReport> report_;
  Growth growth_;
  uint64_t begin_ = nanoseconds_of(CLOCK_MONOTONIC);
  uint64_t interval_begin_ = begin_;
  uint64_t interval_ns_ = 0;  // 0: none
  std::string buffer_;
  uint64_t pending_ = 0;  // calls in the buffer
  uint64_t shown_ = 0;
  uint64_t malformed_ = 0;
  output::WriteStatus status_ = output::WriteStatus::Ok;
};

// What was seen, and everything that was lost.
Result<std::string> FuncLog::summary() const {
  const auto told = tracer_.counters();
  if (!told) return tl::unexpected(told.error());
  const attach::FunctionCounters& counters = *told;
  uint64_t calls = 0;
  size_t called = 0;
  for (const attach::FunctionNumbers& numbers : tracer_.numbers()) {
    calls += numbers.calls;
    called += numbers.calls > 0;
  }
  std::string text = counted(calls, "call") + " of " + counted(called, "function");
  if (!arguments_.empty())
    text += fmt::format(": {} shown, {} lost", shown_, calls - std::min(calls, shown_));
  text += "\n";
  const auto lost = [&](uint64_t count, std::string_view what) {
    if (count > 0) text += fmt::format("  {} {}\n", count, what);
  };
  lost(counters[DBT_FUNC_LOST_RING_FULL], "ring full: calls came faster than they can be shown");
  lost(counters[DBT_FUNC_LOST_NO_STATE], "map full: no memory for a call's state in the kernel");
  lost(counters[DBT_FUNC_LOST_THREADS], "of further threads: too many to count each");
  lost(counters[DBT_FUNC_LOST_BUCKETS], "durations that no histogram has: too many different ones");
  lost(malformed_, "malformed: events that could not be decoded; please report this");
  return text;
}

int trace(Prepared prepared, const FuncOptions& options) {
  auto stop = Stop::catch_signals();
  if (!stop) return complain(stop.error(), kFailed);
  auto writer = output::Writer::standard_output(stop->fd());

  attach::FunctionTracerOptions tracer_options;
  tracer_options.pid = prepared.program.pid;
  tracer_options.durations = options.latency;
  tracer_options.by_thread = options.by_thread;
  tracer_options.mechanism = options.mechanism;
  for (const Argument& argument : prepared.arguments)
    tracer_options.arguments.push_back(kernel_argument(argument, prepared.plan.arch));
  auto tracer =
      attach::FunctionTracer::attach(prepared.binary.get(), prepared.plan, tracer_options);
  if (!tracer) return complain(tracer.error(), kFailed);
  output::Writer messages = output::Writer::standard_error();
  say(messages, remarks(prepared) + attached(prepared, *tracer));

  FuncLog log(options, prepared, *tracer, writer);
  RunHandlers handlers;
  handlers.tick = [&log] { return log.tick(); };
  handlers.resized = [&log] { log.use_width(); };
  handlers.server_ended = [&messages](uint32_t pid) {
    say(messages, fmt::format("process {} has ended\n", pid));
  };
  RunOptions run_options;
  run_options.stop_fd = stop->fd();
  run_options.resize_fd = stop->resize_fd();
  run_options.ring_fd = tracer->ring_fd();
  run_options.output_fd = writer.fd();
  run_options.poll_milliseconds = kPollMilliseconds;
  if (prepared.program.pid) run_options.pids = {prepared.program.pid};
  if (options.duration_ns)
    if (auto set = stop->after(std::chrono::nanoseconds(*options.duration_ns)); !set)
      return complain(set.error(), kFailed);
  if (auto entered = sandbox::enter({}); !entered) say(messages, text_of(entered.error()));
  const auto ending = run(run_options, handlers);

  tracer->detach();
  log.finish();
  const auto summary = log.summary();
  if (summary) say(messages, *summary);
  if (ending && summary && log.status() != output::WriteStatus::Failed) return kDone;
  say(messages, text_of(!summary  ? summary.error()
                        : ending ? Error{writer.error(), ""}
                                 : ending.error()));
  return kFailed;
}

}  // namespace

int run_func(const FuncOptions& options) {
  std::vector<symbols::Pattern> patterns;
  for (const std::string& typed : options.patterns) {
    auto pattern = symbols::Pattern::parse(typed);
    if (!pattern) return complain(pattern.error(), kUsage);
    patterns.push_back(std::move(*pattern));
  }
  auto arguments = parse_arguments(options);
  if (!arguments) return complain(arguments.error(), kUsage);
  if (auto ready = attach::preflight(); !ready) return complain(ready.error(), kFailed);
  auto program = choose(options);
  if (!program) return complain(program.error(), kUsage);
  auto prepared = prepare(options, std::move(*program), patterns, std::move(*arguments));
  if (!prepared) return complain(prepared.error(), kFailed);
  return trace(std::move(*prepared), options);
}

}  // namespace dbtrace::commands
