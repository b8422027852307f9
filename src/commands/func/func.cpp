#include "src/commands/func/func.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <utility>

#include "src/attach/function_plan.h"
#include "src/attach/function_tracer.h"
#include "src/attach/preflight.h"
#include "src/commands/func/arguments.h"
#include "src/commands/func/func_log.h"
#include "src/commands/messages.h"
#include "src/commands/no_match.h"
#include "src/commands/program_choice.h"
#include "src/commands/run.h"
#include "src/commands/target_choice.h"
#include "src/commands/tracing/cost_watch.h"
#include "src/commands/tracing/traced.h"
#include "src/commands/visible_lines.h"
#include "src/output/counted.h"
#include "src/output/writer.h"
#include "src/sandbox/sandbox.h"
#include "symbols/process_maps.h"

namespace dbtrace::commands {
namespace {

constexpr int kPollMilliseconds = 100;

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
  fmt::print(stderr,
             "note: process {0} has not mapped {1}, so it does not call it; /proc/{0}/maps has "
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
  auto plan = attach::plan_functions(*finder, std::move(*locations),
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

std::string attached(const Prepared& prepared, const attach::FunctionTracer& tracer) {
  const Program& program = prepared.program;
  return fmt::format("attached to {} ({}) of {}{} with {}; Ctrl-C ends\n",
                     output::counted(tracer.functions(), "function"),
                     output::counted(tracer.probes(), "probe"), visible_lines(program.name),
                     program.pid ? fmt::format(" (pid {})", program.pid) : " (every process)",
                     attach::mechanism_name(tracer.mechanism()));
}

class TracedFunctions : public Traced {
 public:
  // `pid`: 0 is every process of a file.
  TracedFunctions(const attach::FunctionTracer& tracer, uint32_t pid) : tracer_(tracer) {
    if (pid) processes_.insert(pid);
  }
  [[nodiscard]] Result<attach::RunCost> run_cost() const override { return tracer_.run_cost(); }
  [[nodiscard]] const std::set<uint32_t>& processes() const override { return processes_; }
  void shed(attach::Feature) override {}  // there is nothing to do without

 private:
  const attach::FunctionTracer& tracer_;
  std::set<uint32_t> processes_;
};

attach::FunctionTracerOptions tracer_options(const Prepared& prepared, const FuncOptions& options) {
  attach::FunctionTracerOptions tracer;
  tracer.pid = prepared.program.pid;
  tracer.durations = options.latency;
  tracer.by_thread = options.by_thread;
  tracer.mechanism = options.mechanism;
  for (const Argument& argument : prepared.arguments)
    tracer.arguments.push_back(kernel_argument(argument, prepared.plan.arch));
  return tracer;
}

int trace(Prepared prepared, const FuncOptions& options) {
  auto stop = Stop::catch_signals();
  if (!stop) return complain(stop.error(), kFailed);
  auto writer = output::Writer::standard_output(stop->fd());
  output::Writer messages = output::Writer::standard_error();
  CostWatch cost(options.max_overhead, {}, false,
                 [&messages](std::string_view text) { say(messages, text); });
  if (auto ready = cost.prepare(options.mechanism); !ready) return complain(ready.error(), kFailed);

  auto tracer = attach::FunctionTracer::attach(prepared.binary.get(), prepared.plan,
                                               tracer_options(prepared, options));
  if (!tracer) return complain(tracer.error(), kFailed);
  TracedFunctions traced(*tracer, prepared.program.pid);
  if (auto begun = cost.begin(traced); !begun) return complain(begun.error(), kFailed);
  say(messages, remarks(prepared) + attached(prepared, *tracer));

  FuncLog log(options, prepared.plan, prepared.arguments, *tracer, writer);
  Result<bool> too_dear = false;
  const auto look_at_cost = [&] {
    too_dear = cost.tick(traced);
    return !too_dear || *too_dear;
  };
  RunHandlers handlers;
  handlers.tick = [&] {
    const Tick tick = log.tick();
    return look_at_cost() ? Tick::End : tick;
  };
  writer.while_it_stalls(look_at_cost);
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
  run_options.pids.assign(traced.processes().begin(), traced.processes().end());
  if (options.duration_ns)
    if (auto set = stop->after(std::chrono::nanoseconds(*options.duration_ns)); !set)
      return complain(set.error(), kFailed);
  if (auto entered = sandbox::enter({}); !entered) say(messages, text_of(entered.error()));
  const auto ending = run(run_options, handlers);
  writer.while_it_stalls({});

  const auto measured = cost.end(traced);
  tracer->detach();
  log.finish();
  const auto summary = log.summary();
  if (summary) say(messages, *summary + cost.account());
  bool whole = true;
  const auto fail_with = [&](const Error& error) {
    say(messages, text_of(error));
    whole = false;
  };
  if (!summary) fail_with(summary.error());
  if (!ending) fail_with(ending.error());
  if (!too_dear) fail_with(too_dear.error());
  if (!measured) fail_with(measured.error());
  if (log.status() == output::WriteStatus::Failed) fail_with({writer.error(), ""});
  if (!whole) return kFailed;
  return cost.gave_up() ? kTooDear : kDone;
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
