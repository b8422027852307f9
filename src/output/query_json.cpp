#include "src/output/query_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/output/budget_json.h"
#include "src/output/digits.h"

namespace dbtrace::output {
namespace {

using model::Query;
using model::TextState;

template <typename Number>
void number_or_null(JsonObject& object, std::string_view key, const std::optional<Number>& value) {
  value ? object.number(key, *value) : object.null(key);
}

void string_or_null(JsonObject& object, std::string_view key,
                    const std::optional<std::string>& value) {
  value ? object.string(key, *value) : object.null(key);
}

void query_text(JsonObject& object, const Shown& shown) {
  const Query& query = shown.query;
  const bool present = query.text_state == TextState::Present;
  if (present) {
    object.string("query", shown.text.visible, shown.text.bytes);
  } else {
    object.null("query");
  }
  if (query.text_state == TextState::Unreadable) object.boolean("query_unreadable", true);
  if (shown.text.redacted) object.boolean("redacted", true);
  if (query.is_fingerprint) object.boolean("is_fingerprint", true);
  if (query.text_state == TextState::None || query.is_fingerprint) {
    object.null("query_length");
  } else {
    object.number("query_length", query.text_length);
  }
  object.boolean("truncated", present && query.truncated());
}

void statement(JsonObject& object, const Query& query) {
  object.number("statement_id", query.statement_id);
  query.parent_id != 0 ? object.number("parent_id", query.parent_id) : object.null("parent_id");
  object.number("depth", query.depth);
  if (query.running)  // children_ns lacks those that run now
    object.null("own_ns");
  else
    object.number("own_ns", query.duration_ns - std::min(query.duration_ns, query.children_ns));
}

}  // namespace

void QueryJson::time(std::string_view key, uint64_t ns, JsonObject& object, std::string& out) {
  object.key(key);
  out += '"';
  out += clock_.at(ns / kNanosecondsPerSecond);
  out += '.';
  append_zero_padded(out, ns % kNanosecondsPerSecond, 9);
  out += "Z\"";
}

void QueryJson::members(const Shown& shown, JsonObject& object, std::string& out) {
  const Query& query = shown.query;
  if (query.start_known) {
    time("start", query.start_ns, object, out);
    object.number("duration_ns", query.duration_ns);
  } else {
    object.null("start");
    object.null("duration_ns");
  }
  object.number("pid", query.pid);
  object.number("tid", query.tid);
  object.string("flavor", query.flavor);
  number_or_null(object, "conn", query.connection_id);
  string_or_null(object, "user", query.user);
  string_or_null(object, "host", shown_host(query));
  string_or_null(object, "db", query.database);
  query.command.empty() ? object.null("command") : object.string("command", query.command);
  query_text(object, shown);
  number_or_null(object, "error", query.error);
  if (!query.sqlstate.empty()) object.string("sqlstate", query.sqlstate);
  if (query.process_ended) object.boolean("process_ended", true);
  number_or_null(object, "rows_sent", query.rows_sent);
  number_or_null(object, "rows_examined", query.rows_examined);
  if (query.application) object.string("application", *query.application);
  if (query.query_id) {
    object.key("query_id");
    out += fmt::format_int(*query.query_id).c_str();
  }
  if (query.running) object.boolean("running", true);
  if (query.waits_for) append_wait(object, *query.waits_for, out);
  if (query.statement_id != 0) statement(object, query);
  if (budget_) append_budget(object, shown, out);
}

}  // namespace dbtrace::output
