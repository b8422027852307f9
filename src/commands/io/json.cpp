// One JSON object a line; docs/io.md describes the members.
#include <fmt/format.h>

#include "src/commands/io/report.h"
#include "src/output/histogram_json.h"
#include "src/output/json_writer.h"
#include "src/output/shown.h"

namespace dbtrace::commands {
namespace {

using output::JsonObject;

void string_or_null(JsonObject& object, std::string_view key, const std::string& value) {
  value.empty() ? object.null(key) : object.string(key, value);
}

template <typename Number>
void number_or_null(JsonObject& object, std::string_view key, const std::optional<Number>& value) {
  value ? object.number(key, *value) : object.null(key);
}

void add_sums(const Latencies& latencies, JsonObject& object) {
  const model::IoCount& sum = latencies.sum;
  object.number("count", sum.count);
  object.number("blocked", sum.blocked);
  object.number("bytes", sum.bytes);
  object.number("total_ns", sum.ns);
  output::add_percentiles(latencies.all, sum.ns, object, sum.max_ns);
}

// Members that say what a row is about; null where that is not known.
void add_subject(const IoTable::Row& row, IoBy by, JsonObject& object) {
  const IoSubject& subject = row.subject;
  const bool is_background = subject.kind == IoSubject::Kind::Background;
  switch (by) {
    case IoBy::Table:
      string_or_null(object, "table", subject.name);
      break;
    case IoBy::File:
      string_or_null(object, "file", subject.name);
      string_or_null(object, "table", subject.table);
      break;
    case IoBy::Query:
      string_or_null(object, "query", is_background ? "" : subject.name);
      string_or_null(object, "example", row.example);
      string_or_null(object, "background", is_background ? subject.name : "");
      break;
    case IoBy::Thread:
      string_or_null(object, "thread", subject.name);
      object.boolean("in_queries", !is_background);
      break;
    case IoBy::Operation:
      break;
  }
  if (subject.kind == IoSubject::Kind::Others) object.boolean("others", true);
}

class Json final : public IoReport {
 public:
  void table(const Span& span, const IoTable& table, IoBy by, uint64_t lost,
             std::string& out) override {
    JsonObject object(out);
    object.string("span", span.total ? "total" : "interval");
    time_.add("end", span.end_ns, object, out);
    object.number("length_ns", span.length_ns);
    object.number("lost", lost);
    object.key("operations");
    JsonObject operations(out);
    for (size_t i = 0; i < table.totals().size(); ++i) {
      operations.key(name_of(static_cast<IoKind>(i)));
      JsonObject total(out);
      add_sums(table.totals()[i], total);
      total.key("buckets");
      output::append_buckets(table.totals()[i].all, table.totals()[i].blocked, out);
      total.end();
    }
    operations.end();
    object.string("by", name_of(by));
    object.key("rows");
    std::string_view separator = "[";
    for (const IoTable::Row* row : table.rows()) {
      out += separator;
      separator = ",";
      JsonObject entry(out);
      add_subject(*row, by, entry);
      entry.string("operation", name_of(operation_of(row->kind)));
      entry.boolean("async", is_asynchronous(row->kind));
      add_sums(row->latencies, entry);
      entry.key("share");
      out += fmt::format("{:.4f}", table.share(*row));
      entry.end();
    }
    out += separator == "[" ? "[]" : "]";
    object.end();
    out += '\n';
  }

  void operation(const model::IoOperation& operation, const model::Query* query,
                 std::string& out) override {
    JsonObject object(out);
    time_.add("start", operation.start_ns, object, out);
    object.number("duration_ns", operation.duration_ns);
    object.string("operation", name_of(operation.operation));
    string_or_null(object, "file", operation.file.name);
    string_or_null(object, "table", operation.file.content);
    number_or_null(object, "offset", operation.offset);
    object.number("bytes", operation.bytes);
    object.boolean("blocked", operation.blocked);
    object.boolean("async", operation.asynchronous);
    object.number("error", operation.error);
    object.number("pid", operation.pid);
    object.number("tid", operation.tid);
    object.string("thread", operation.thread);
    object.boolean("background", !operation.command_start_ns);
    add_query(query, object);
    object.end();
    out += '\n';
  }

 private:
  void add_query(const model::Query* query, JsonObject& object) {
    static const model::Query kNone;
    const model::Query& known = query ? *query : kNone;
    number_or_null(object, "conn", known.connection_id);
    known.user ? object.string("user", *known.user) : object.null("user");
    known.database ? object.string("db", *known.database) : object.null("db");
    known.command.empty() ? object.null("command") : object.string("command", known.command);
    if (known.text_state == model::TextState::Present) {
      const output::ShownText text = output::shown_text(known.text, known.text_length, redacted_);
      object.string("query", text.visible, text.bytes);
      if (text.redacted) object.boolean("redacted", true);
      object.boolean("truncated", text.missing_bytes != 0);
      if (known.is_fingerprint) object.boolean("is_fingerprint", true);
    } else {
      object.null("query");
    }
    if (known.running) object.boolean("running", true);
  }

  output::JsonTime time_;
  std::string redacted_;
};

}  // namespace

std::unique_ptr<IoReport> io_json() { return std::make_unique<Json>(); }

}  // namespace dbtrace::commands
