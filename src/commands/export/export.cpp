#include "src/commands/export/export.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "src/commands/export/trace.h"
#include "src/commands/messages.h"
#include "src/commands/queries/own_log.h"
#include "src/commands/queries/query_view.h"
#include "src/commands/queries/recorded.h"
#include "src/commands/replay/replay.h"
#include "src/commands/stacks/recorded.h"
#include "src/output/writer.h"

namespace dbtrace::commands {
namespace {

constexpr std::string_view kExported = "exported";  // in the account

output::Format log_format(ExportFormat format) {
  switch (format) {
    case ExportFormat::SlowLog:
      return output::Format::SlowLog;
    case ExportFormat::PgLog:
      return output::Format::PgLog;
    case ExportFormat::Csv:
      return output::Format::Csv;
    default:
      return output::Format::Json;
  }
}

std::optional<output::StackFormat> stack_format(ExportFormat format) {
  if (format == ExportFormat::Folded) return output::StackFormat::Folded;
  if (format == ExportFormat::Speedscope) return output::StackFormat::Speedscope;
  return std::nullopt;
}

// One profile a kind of query.
int export_stacks(const QueriesOptions& queries, output::StackFormat format) {
  StacksOptions options;
  options.choice = queries.choice;
  options.by.emplace();
  options.format = format;
  options.output_file = queries.output_file;
  options.limit = queries.limit;
  options.from = queries.from;
  options.shown_as = kExported;
  return show_recorded_stacks(options);
}

// `queries.limit`: at most what the sink is prepared for.
Result<std::unique_ptr<output::Sink>> make_sink(const Replay& replay, ExportFormat format,
                                                QueriesOptions& queries,
                                                const model::Filter& filter) {
  if (format != ExportFormat::Perfetto)
    return output::make_sink({.format = log_format(format), .budget = true});
  auto trace = make_trace(replay, queries, filter);
  if (!trace) return tl::unexpected(trace.error());
  queries.limit = trace->queries;
  return std::move(trace->sink);
}

}  // namespace

int run_export(const ExportOptions& options) {
  if (const auto format = stack_format(options.format))
    return export_stacks(options.queries, *format);
  QueriesOptions queries = options.queries;
  queries.format = log_format(options.format);
  auto filter = make_filter(queries.choice, true);
  if (!filter) return complain(filter.error(), kUsage);
  auto replay = Replay::open(queries.from);
  if (!replay) return complain(replay.error(), kFailed);
  if (auto fits = check_format(queries.format, replay->servers()); !fits)
    return complain(fits.error(), kUsage);
  auto writer = open_output(queries.output_file, queries.from);
  if (!writer) return complain(writer.error(), kFailed);
  if (options.format == ExportFormat::Perfetto && writer->is_terminal())
    return complain({"a trace is nothing for a terminal", "-o FILE says where to"}, kUsage);
  auto sink = make_sink(*replay, options.format, queries, *filter);
  if (!sink) return complain(sink.error(), kFailed);
  QueryView view(queries, *filter, std::move(*sink), *writer, kExported);
  return show_recorded(*replay, queries, view, *writer);
}

}  // namespace dbtrace::commands
