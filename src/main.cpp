// dbtrace: the command line. Each subcommand lives in src/commands.
#include <fcntl.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "src/commands/diff/diff.h"
#include "src/commands/doctor/doctor.h"
#include "src/commands/func/func.h"
#include "src/commands/help_format.h"
#include "src/commands/histogram/histogram.h"
#include "src/commands/io/io.h"
#include "src/commands/queries/queries.h"
#include "src/commands/stacks/stacks.h"
#include "src/commands/symbols/symbols.h"
#include "src/commands/top/top.h"
#include "src/commands/usage_error.h"
#include "src/commands/visible_lines.h"
#include "src/commands/waits/waits.h"

namespace {

// A standard stream that is closed must not become the first file opened. Opened
// the wrong way round, it stays as useless as it was.
void fill_closed_streams() {
  for (const int fd : {0, 1, 2})
    if (::fcntl(fd, F_GETFD) == -1) (void)::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
  fill_closed_streams();
  CLI::App app("dbtrace: watch a running database server, query by query, without touching it",
               "dbtrace");
  app.set_version_flag("--version", "dbtrace " DBTRACE_VERSION);
  app.require_subcommand(1);
  app.formatter(std::make_shared<dbtrace::commands::HelpFormat>());

  dbtrace::commands::QueriesOptions queries;
  dbtrace::commands::add_queries_command(app, queries);
  dbtrace::commands::HistogramOptions histogram;
  const CLI::App* histogram_command = dbtrace::commands::add_histogram_command(app, histogram);
  dbtrace::commands::DiffOptions diff;
  const CLI::App* diff_command = dbtrace::commands::add_diff_command(app, diff);
  dbtrace::commands::WaitsOptions waits;
  const CLI::App* waits_command = dbtrace::commands::add_waits_command(app, waits);
  dbtrace::commands::IoOptions io;
  const CLI::App* io_command = dbtrace::commands::add_io_command(app, io);
  dbtrace::commands::StacksOptions stacks;
  const CLI::App* stacks_command = dbtrace::commands::add_stacks_command(app, stacks);
  dbtrace::commands::TopOptions top;
  const CLI::App* top_command = dbtrace::commands::add_top_command(app, top);
  dbtrace::commands::SymbolsOptions symbols;
  const CLI::App* symbols_command = dbtrace::commands::add_symbols_command(app, symbols);
  dbtrace::commands::FuncOptions func;
  const CLI::App* func_command = dbtrace::commands::add_func_command(app, func);
  dbtrace::commands::DoctorOptions doctor;
  const CLI::App* doctor_command = dbtrace::commands::add_doctor_command(app, doctor);

  // A value in brackets is one value ("[local]" is a host), not a list of them.
  for (CLI::App* command : app.get_subcommands({}))
    for (CLI::Option* option : command->get_options())
      if (!option->get_positional()) option->allow_extra_args(false);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    // It quotes the arguments, whatever they hold.
    std::cerr << dbtrace::commands::visible_lines(
        dbtrace::commands::explain_usage(app, error, argc > 1 ? argv[1] : ""));
    return 2;
  }
  if (histogram_command->parsed()) return dbtrace::commands::run_histogram(histogram);
  if (diff_command->parsed()) return dbtrace::commands::run_diff(diff);
  if (waits_command->parsed()) return dbtrace::commands::run_waits(waits);
  if (io_command->parsed()) return dbtrace::commands::run_io(io);
  if (stacks_command->parsed()) return dbtrace::commands::run_stacks(stacks);
  if (top_command->parsed()) return dbtrace::commands::run_top(top);
  if (symbols_command->parsed()) return dbtrace::commands::run_symbols(symbols);
  if (func_command->parsed()) return dbtrace::commands::run_func(func);
  if (doctor_command->parsed()) return dbtrace::commands::run_doctor(doctor);
  return dbtrace::commands::run_queries(queries);
}
