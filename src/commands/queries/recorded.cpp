#include "src/commands/queries/recorded.h"

#include <filesystem>
#include <system_error>

#include "src/commands/tracing/options.h"

namespace dbtrace::commands {

Result<output::Writer> open_output(const QueriesOptions& options) {
  std::error_code ignored;
  if (std::filesystem::equivalent(options.from, options.output_file, ignored))
    return fail(options.output_file + " is the recording itself", "-o FILE is another file");
  return open_output(options.output_file, -1);
}

int show_recorded(Replay& replay, const QueriesOptions& options, QueryView& view,
                  const output::Writer& writer) {
  // PostgreSQL's own log has what clients wait for, and no more.
  replay.choose(options.choice, options.format == output::Format::PgLog);
  Result<void> ran = replay.each([&view](const model::Query& query) {
    if (view.wants(query)) view.show(query);
    return !view.ended();
  });
  view.finish();
  if (ran && view.status() == output::WriteStatus::Failed) ran = fail(writer.error());
  return replay.conclude(view.tally(), ran);
}

}  // namespace dbtrace::commands
