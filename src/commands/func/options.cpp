// The command line of `dbtrace func`.
#include "src/commands/tracing/options.h"

#include <CLI/CLI.hpp>

#include "src/commands/attach_option.h"
#include "src/commands/checks.h"
#include "src/commands/func/func.h"
#include "src/commands/units.h"

namespace dbtrace::commands {
namespace {

constexpr const char* kFooter =
    R"(PATTERN is what `dbtrace symbols` takes: a name in any scope, 'row_*', '/open|close/', …
An argument is POSITION:TYPE, counted from 0; a member function's object is argument 0.
  int, uint (4 bytes)   long, ulong, hex (8 bytes)
  str (up to a NUL)     str:3 (as long as argument 3 says)
  1+8:ulong             what lies 8 bytes behind where argument 1 points to

Examples:
  dbtrace func dispatch_command                        calls a second, and in total at the end
  dbtrace func 'trx_*' 'lock_*' --by-thread            which thread calls which function how often
  dbtrace func THD::set_db --latency --duration 10s    how long calls take, as a histogram
  dbtrace func dispatch_command --args 2:str           each call with its text (MariaDB, MySQL 5.6)
  dbtrace func dispatch_command --args 1+0:str:1+8     the same for MySQL 5.7 and later
  dbtrace func malloc -p 1234 --exe /lib/x86_64-linux-gnu/libc.so.6    in a library of one process

Exit status: 0 done, 1 failed or nothing matches, 2 wrong usage or no program to trace,
3 --max-overhead ended it.)";

void add_target(CLI::App& command, FuncOptions& options) {
  command.add_option("PATTERN", options.patterns, "Functions to trace (several: any of them)")
      ->required()
      ->type_name("");
  command.add_option("-p,--pid", options.pid, "The process to trace, a server or not")
      ->type_name("PID")
      ->check(whole_number(1, INT32_MAX));
  command
      .add_option("--exe", options.executable,
                  "Trace every process of this executable, present and future; with -p, functions "
                  "of this file (a shared library, say) in that process")
      ->type_name("PATH");
}

void add_question(CLI::App& command, FuncOptions& options) {
  constexpr const char* kGroup = "What of the calls (else: how many)";
  auto* latency =
      command.add_flag("--latency", options.latency, "How long they take")->group(kGroup);
  auto* by_thread =
      command.add_flag("--by-thread", options.by_thread, "How many by which thread")->group(kGroup);
  command
      .add_option("--args", options.arguments,
                  "Each call with these arguments, e.g. 2:str,0:int (see below)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST")
      ->group(kGroup)
      ->excludes(latency)
      ->excludes(by_thread);
  latency->excludes(by_thread);
}

void add_output(CLI::App& command, FuncOptions& options) {
  command
      .add_option("--interval", options.interval_ns,
                  "Print counts this often [1s]; with --latency: histograms, too [at the end]")
      ->transform(quantity(parse_duration, 100'000'000, INT64_MAX))
      ->type_name("TIME");
  command.add_option("--duration", options.duration_ns, "End after this time (else: Ctrl-C)")
      ->transform(quantity(parse_duration, 1, INT64_MAX))
      ->type_name("TIME");
  command.add_option("--format", options.format, "text or json (one object a line)")
      ->transform(one_of<FuncFormat>({{"text", FuncFormat::Text}, {"json", FuncFormat::Json}}))
      ->type_name("FORMAT");
}

void add_mechanics(CLI::App& command, FuncOptions& options) {
  constexpr const char* kGroup = "Mechanics";
  command
      .add_flag("--trust-addresses", options.trust_addresses,
                "Probe addresses that no symbol covers; one inside an\n"
                "instruction ends the program")
      ->group(kGroup);
  command
      .add_option("--max-functions", options.most_functions,
                  "Refuse patterns that match more functions [10000]")
      ->check(whole_number(1, 1'000'000))
      ->type_name("NUMBER")
      ->group(kGroup);
  add_attach_option(command, options.mechanism, kGroup);
  add_max_overhead_option(command, options.max_overhead, kGroup);
}

}  // namespace

CLI::App* add_func_command(CLI::App& app, FuncOptions& options) {
  CLI::App* command = app.add_subcommand("func", "Count, time or show calls of any function");
  command->footer(kFooter);
  add_target(*command, options);
  add_question(*command, options);
  add_output(*command, options);
  add_debug_options(*command, options.debug);
  add_mechanics(*command, options);
  return command;
}

}  // namespace dbtrace::commands
