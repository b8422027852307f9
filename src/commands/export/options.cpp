// The command line of `dbtrace export`.
#include "src/commands/tracing/options.h"

#include <CLI/CLI.hpp>

#include "src/commands/checks.h"
#include "src/commands/export/export.h"
#include "src/commands/tracing/query_choice.h"

namespace dbtrace::commands {
namespace {

constexpr const char* kExamples = R"(Examples:
  dbtrace export r.dbt --format perfetto -o r.pftrace   for ui.perfetto.dev
  dbtrace export r.dbt --format csv -o r.csv            a row a query
  dbtrace export r.dbt --format slowlog -o slow.log     for pt-query-digest
  dbtrace export r.dbt --format pglog -o pg.log         for pgBadger
  dbtrace export r.dbt --format json --errors           one JSON object a line
  dbtrace export r.dbt --format speedscope -o r.json    stacks, for speedscope
  dbtrace export r.dbt --format folded | flamegraph.pl  stacks, for other tools

Exit status: 0 done, 1 failed, 2 wrong usage, or the recording is not of that kind.)";

}  // namespace

CLI::App* add_export_command(CLI::App& app, ExportOptions& options) {
  CLI::App* command = app.add_subcommand(
      "export", "Write a recording (dbtrace record) as a file for other programs");
  command->footer(kExamples);
  command->add_option("recording", options.queries.from, "The recording")
      ->type_name("FILE")
      ->required();
  add_query_choice(*command, options.queries.choice, "Which queries");
  command->add_option("--limit", options.queries.limit, "The first so many of them")
      ->check(whole_number(1, UINT64_MAX))
      ->group("Which queries");
  constexpr const char* kOutput = "Output";
  command
      ->add_option("--format", options.format,
                   "perfetto, csv, json (one object a line), slowlog, pglog (PostgreSQL's\n"
                   "own), or of stacks: folded, speedscope")
      ->transform(one_of<ExportFormat>({{"perfetto", ExportFormat::Perfetto},
                                        {"csv", ExportFormat::Csv},
                                        {"json", ExportFormat::Json},
                                        {"slowlog", ExportFormat::SlowLog},
                                        {"pglog", ExportFormat::PgLog},
                                        {"folded", ExportFormat::Folded},
                                        {"speedscope", ExportFormat::Speedscope}}))
      ->type_name("FORMAT")
      ->required()
      ->group(kOutput);
  add_output_file_option(*command, options.queries.output_file, kOutput);
  return command;
}

}  // namespace dbtrace::commands
