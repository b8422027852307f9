#include "src/commands/export/export.h"

#include <memory>
#include <utility>

#include "src/commands/export/stacks_of_kinds.h"
#include "src/commands/export/trace.h"
#include "src/commands/messages.h"
#include "src/commands/queries/own_log.h"
#include "src/commands/queries/query_view.h"
#include "src/commands/queries/recorded.h"
#include "src/commands/replay/replay.h"
#include "src/output/writer.h"

namespace dbtrace::commands {
namespace {

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

bool is_of_stacks(ExportFormat format) {
  return format == ExportFormat::Folded || format == ExportFormat::Speedscope;
}

// Whether the recording has what the format is about.
Result<void> check(Replay& replay, const ExportOptions& options) {
  if (!is_of_stacks(options.format))
    return check_format(log_format(options.format), replay.servers());
  const auto has_stacks = replay.reader().has_stacks();
  if (!has_stacks) return tl::unexpected(has_stacks.error());
  if (*has_stacks) return {};
  return fail("the recording has no stacks", "dbtrace record --stacks keeps some of each query");
}

// `queries.limit`: at most what the sink is prepared for.
Result<std::unique_ptr<output::Sink>> make_sink(const Replay& replay, ExportFormat format,
                                                QueriesOptions& queries,
                                                const model::Filter& filter) {
  if (format == ExportFormat::Folded) return make_stacks_of_kinds(output::StackFormat::Folded);
  if (format == ExportFormat::Speedscope)
    return make_stacks_of_kinds(output::StackFormat::Speedscope);
  if (format != ExportFormat::Perfetto)
    return output::make_sink({.format = log_format(format), .budget = true});
  auto trace = make_trace(replay, queries, filter);
  if (!trace) return tl::unexpected(trace.error());
  queries.limit = trace->queries;
  return std::move(trace->sink);
}

}  // namespace

int run_export(const ExportOptions& options) {
  QueriesOptions queries = options.queries;
  queries.format = log_format(options.format);
  auto filter = make_filter(queries.choice, true);
  if (!filter) return complain(filter.error(), kUsage);
  auto replay = Replay::open(queries.from);
  if (!replay) return complain(replay.error(), kFailed);
  if (auto fits = check(*replay, options); !fits) return complain(fits.error(), kUsage);
  auto writer = open_output(queries);
  if (!writer) return complain(writer.error(), kFailed);
  if (options.format == ExportFormat::Perfetto && writer->is_terminal())
    return complain({"a trace is nothing for a terminal", "-o FILE says where to"}, kUsage);
  auto sink = make_sink(*replay, options.format, queries, *filter);
  if (!sink) return complain(sink.error(), kFailed);
  QueryView view(queries, *filter, std::move(*sink), *writer);
  return show_recorded(*replay, queries, view, *writer);
}

}  // namespace dbtrace::commands
