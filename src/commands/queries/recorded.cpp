#include "src/commands/queries/recorded.h"

namespace dbtrace::commands {

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
