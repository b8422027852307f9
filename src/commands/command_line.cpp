#include "src/commands/command_line.h"

#include <algorithm>
#include <iostream>

#include "src/commands/diff/diff.h"
#include "src/commands/doctor/doctor.h"
#include "src/commands/export/export.h"
#include "src/commands/func/func.h"
#include "src/commands/help_format.h"
#include "src/commands/histogram/histogram.h"
#include "src/commands/io/io.h"
#include "src/commands/messages.h"
#include "src/commands/queries/queries.h"
#include "src/commands/record/record.h"
#include "src/commands/report/report.h"
#include "src/commands/serve/serve.h"
#include "src/commands/stacks/stacks.h"
#include "src/commands/symbols/symbols.h"
#include "src/commands/top/top.h"
#include "src/commands/usage_error.h"
#include "src/commands/visible_lines.h"
#include "src/commands/waits/waits.h"

namespace dbtrace::commands {

CommandLine::CommandLine()
    : app_("dbtrace: watch a running database server, query by query, without touching it",
           "dbtrace") {
  app_.set_version_flag("--version", "dbtrace " DBTRACE_VERSION);
  app_.require_subcommand(1);
  app_.formatter(std::make_shared<HelpFormat>());

  add(add_queries_command, run_queries);
  add(add_histogram_command, run_histogram);
  add(add_diff_command, run_diff);
  add(add_waits_command, run_waits);
  add(add_io_command, run_io);
  add(add_stacks_command, run_stacks);
  add(add_top_command, run_top);
  add(add_record_command, run_record);
  add(add_report_command, run_report);
  add(add_export_command, run_export);
  add(add_serve_command, run_serve);
  add(add_symbols_command, run_symbols);
  add(add_func_command, run_func);
  add(add_doctor_command, run_doctor);

  // A value in brackets is one value ("[local]" is a host), not a list of them.
  for (CLI::App* command : app_.get_subcommands({}))
    for (CLI::Option* option : command->get_options())
      if (!option->get_positional()) option->allow_extra_args(false);
}

int CommandLine::run(int argc, char** argv) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app_.exit(error);  // --help, --version
    // It quotes the arguments, whatever they hold.
    std::cerr << visible_lines(explain_usage(app_, error, argc > 1 ? argv[1] : ""));
    return kUsage;
  }
  const auto is_meant = [](const Command& command) { return command.app->parsed(); };
  return std::ranges::find_if(commands_, is_meant)->run();
}

}  // namespace dbtrace::commands
