#include "src/output/perfetto/query_arguments.h"

#include "src/output/cause_names.h"
#include "src/output/escape.h"

namespace dbtrace::output::perfetto {
namespace {

using model::Query;
using model::TextState;

// In the order of model::FileOperation.
constexpr std::string_view kOperations[model::kFileOperations] = {"reads", "writes", "fsyncs"};

void add_text(const Shown& shown, std::string_view name, Arguments& to) {
  const Query& query = shown.query;
  if (query.text_state == TextState::Unreadable) to.flag("query_unreadable");
  if (query.text_state != TextState::Present) return;
  std::string visible;
  append_visible(visible, shown.text.visible);
  if (visible != name) to.text("query", visible);
  if (shown.text.missing_bytes > 0 && !query.is_fingerprint)
    to.number("query_length", query.text_length);
}

void add_session(const Query& query, Arguments& to) {
  to.number("pid", query.pid);
  to.number("tid", query.tid);
  to.number_if_known("conn", query.connection_id);
  to.text_if_known("user", query.user);
  to.text_if_known("host", shown_host(query));
  to.text_if_known("application", query.application);
  to.text_if_known("db", query.database);
}

void add_outcome(const Query& query, Arguments& to) {
  to.number_if_known("error", query.error);
  if (!query.sqlstate.empty()) to.text("sqlstate", query.sqlstate);
  if (query.process_ended) to.flag("process_ended");
  to.number_if_known("rows_sent", query.rows_sent);
  to.number_if_known("rows_examined", query.rows_examined);
  if (query.query_id) to.signed_number("query_id", *query.query_id);
}

void add_budget(const model::Budget& budget, Arguments& to) {
  for (const CauseName& name : kCauseNames)
    to.number_unless_zero(name.json_key, budget.ns(name.cause));
  to.number_unless_zero(UnexplainedName::json_key, budget.unexplained_ns);
}

void add_operations(const model::IoCounts& operations, Arguments& to) {
  for (size_t i = 0; i < model::kFileOperations; ++i) {
    const model::IoCount& count = operations[i];
    if (count.count == 0) continue;
    to.group(kOperations[i], [&](Arguments& members) {
      members.number("count", count.count);
      members.number("blocked", count.blocked);
      members.number("bytes", count.bytes);
      members.number("ns", count.ns);
      members.number("max_ns", count.max_ns);
    });
  }
}

void add_io(const model::Io& io, Arguments& to) {
  add_operations(io.operations, to);
  if (io.files.empty()) return;
  to.list("files", io.files.size(), [&](size_t i, Arguments& members) {
    members.text("file", io.files[i].file.name);
    members.text("table", io.files[i].file.content);
    add_operations(io.files[i].operations, members);
  });
}

void add_waits(const model::NamedWaits& waits, Arguments& to) {
  if (!waits.waits.empty())
    to.list("wait_events", waits.waits.size(), [&](size_t i, Arguments& members) {
      members.text("type", waits.waits[i].event.type);
      members.text("event", waits.waits[i].event.event);
      members.number("ns", waits.waits[i].ns);
      members.number("waits", waits.waits[i].waits);
    });
  to.number_unless_zero("other_wait_events_ns", waits.others_ns);
}

void add_blocker(const model::Blocker& blocker, const ShownText& text, Arguments& to) {
  to.number("waited_ns", blocker.waited_ns);
  to.text("cause", name_of(blocker.cause).name());
  to.number("pid", blocker.pid);
  to.number_if_known("conn", blocker.connection_id);
  to.text("thread", blocker.thread);
  if (!blocker.title.empty()) to.text("process", blocker.title);
  if (blocker.idle) to.flag("idle_in_transaction");
  if (blocker.query) to.text("query", text.visible);
}

}  // namespace

void add_query(const Shown& shown, std::string_view name, Arguments& to) {
  const Query& query = shown.query;
  to.text("command", query.command);
  add_text(shown, name, to);
  add_session(query, to);
  add_outcome(query, to);
  if (query.budget)
    to.group("budget", [&](Arguments& members) { add_budget(*query.budget, members); });
  if (query.io) add_io(*query.io, to);
  if (query.named_waits) add_waits(*query.named_waits, to);
  if (query.blocker)
    to.group("blocker",
             [&](Arguments& members) { add_blocker(*query.blocker, shown.blocker, members); });
}

}  // namespace dbtrace::output::perfetto
