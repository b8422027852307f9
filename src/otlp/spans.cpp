#include "src/otlp/spans.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <optional>
#include <utility>

#include "src/otlp/fields.h"
#include "src/output/cause_names.h"
#include "src/output/metrics.h"
#include "src/sql/table_names.h"
#include "src/sql/trace_parent.h"

namespace dbtrace::otlp {
namespace {

using model::Query;
using protozero::pbf_writer;

// As the conventions want it.
constexpr size_t kMostSummary = 255;

// The conventions' names.
std::string_view system_of(const Query& query) {
  return query.flavor == "postgres" ? "postgresql" : query.flavor;
}

template <size_t Size>
std::array<uint8_t, Size> random_id() {
  std::array<uint8_t, Size> id{};
  (void)::getrandom(id.data(), id.size(), 0);
  id.back() |= static_cast<uint8_t>(id == std::array<uint8_t, Size>{});  // never all zero
  return id;
}

template <size_t Size>
void add_id(pbf_writer& span, uint32_t field, const std::array<uint8_t, Size>& id) {
  span.add_bytes(field, reinterpret_cast<const char*>(id.data()), id.size());
}

void add_ids(pbf_writer& span, const Query& query) {
  add_id(span, span::kSpanId, random_id<8>());
  std::optional<sql::TraceParent> parent;
  if (query.has_sql()) parent = sql::trace_parent_of(query.text);
  if (!parent) return add_id(span, span::kTraceId, random_id<16>());
  add_id(span, span::kTraceId, parent->trace);
  add_id(span, span::kParentId, parent->span);
  span.add_fixed32(span::kFlags, span::kHasIsRemote | span::kIsRemote | parent->flags);
}

// The word that a statement begins with, in capitals.
std::string operation_of(std::string_view fingerprint) {
  std::string word;
  for (const char c : fingerprint) {
    if (c >= 'a' && c <= 'z')
      word += static_cast<char>(c - 'a' + 'A');
    else if (c >= 'A' && c <= 'Z')
      word += c;
    else if (!word.empty())
      break;
  }
  return word;
}

class SpanAttributes {
 public:
  explicit SpanAttributes(pbf_writer& span) : span_(span) {}

  void text(std::string_view key, std::string_view value) {
    if (!value.empty()) add_text(span_, span::kAttributes, key, value);
  }
  void text(std::string_view key, const std::optional<std::string>& value) {
    if (value) text(key, std::string_view(*value));
  }
  void number(std::string_view key, const std::optional<uint64_t>& value) {
    if (value) add_number(span_, span::kAttributes, key, static_cast<int64_t>(*value));
  }

 private:
  pbf_writer& span_;
};

void add_budget(const model::Budget& budget, SpanAttributes& attributes) {
  for (const output::CauseName& name : output::kCauseNames)
    if (const uint64_t ns = budget.ns(name.cause))
      attributes.number(fmt::format("dbtrace.budget.{}", name.json_key), ns);
  attributes.number(fmt::format("dbtrace.budget.{}", output::UnexplainedName::json_key),
                    budget.unexplained_ns);
}

void add_error(const Query& query, SpanAttributes& attributes, pbf_writer& span) {
  if (query.error.value_or(0) == 0) return;
  const std::string code =
      query.sqlstate.empty() ? fmt::format("{}", *query.error) : query.sqlstate;
  attributes.text("db.response.status_code", std::string_view(code));
  attributes.text("error.type", std::string_view(code));
  pbf_writer status(span, span::kStatus);
  status.add_enum(span::kStatusCode, span::kError);
}

}  // namespace

Spans::Text Spans::text_of(const Query& query) {
  if (!query.has_sql() || query.text_state != model::TextState::Present) return {};
  std::string redacted;
  const bool is_redacted = redact_ && redact_(query.text, redacted);
  Text text{
      .fingerprint = std::string(fingerprints_.of(query, is_redacted ? redacted : query.text).text),
      .summary = {}};
  text.summary = operation_of(text.fingerprint);
  for (const sql::TableName& table :
       sql::tables_of(query.text, query.truncated(), {.dialect = kinds::dialect_of(query)})) {
    const std::string name = output::label_value(
        table.database.empty() ? table.table : table.database + "." + table.table);
    if (text.summary.size() + 1 + name.size() > kMostSummary) break;
    text.summary += ' ';
    text.summary += name;
  }
  return text;
}

void Spans::add(const Query& query) {
  ++count_;
  std::string& items = by_system_[system_of(query)];
  const size_t before = items.size();
  const Text text = text_of(query);
  {
    pbf_writer all(items);
    pbf_writer span(all, request::kItems);
    add_ids(span, query);
    span.add_string(span::kName,
                    text.summary.empty() ? output::label_value(query.command) : text.summary);
    span.add_enum(span::kKind, span::kServer);
    span.add_fixed64(span::kStart, query.start_ns);
    span.add_fixed64(span::kEnd, query.start_ns + query.duration_ns);
    SpanAttributes attributes(span);
    attributes.text("db.system.name", system_of(query));
    attributes.text("db.namespace", query.database);
    attributes.text("db.query.text", std::string_view(text.fingerprint));
    attributes.text("db.query.summary", std::string_view(text.summary));
    attributes.text("client.address", query.ip ? query.ip : query.host);
    attributes.text("dbtrace.user", query.user);
    attributes.text("dbtrace.application", query.application);
    attributes.text("dbtrace.command", query.command);
    attributes.number("dbtrace.connection_id", query.connection_id);
    attributes.number("dbtrace.pid", query.pid);
    attributes.number("dbtrace.rows_sent", query.rows_sent);
    attributes.number("dbtrace.rows_examined", query.rows_examined);
    if (query.budget) add_budget(*query.budget, attributes);
    add_error(query, attributes, span);
  }
  bytes_ += items.size() - before;
}

std::string Spans::take(std::string_view version) {
  std::string request;
  for (const auto& [system, items] : by_system_) {
    Attributes resource = resource_;
    resource.emplace_back("service.name", std::string(system));
    // Requests one behind the other are one.
    request += request_of(resource, version, items);
  }
  by_system_.clear();
  count_ = 0;
  bytes_ = 0;
  return request;
}

}  // namespace dbtrace::otlp
