// Spans are what the queries were, by the conventions, and have no values.
#include "src/otlp/spans.h"

#include <gtest/gtest.h>

#include "src/output/redact.h"
#include "tests/otlp/told.h"
#include "tests/unit/output/sample_query.h"

namespace dbtrace::otlp {
namespace {

using dbtrace::testing::Labels;
using dbtrace::testing::spans_told;
using dbtrace::testing::ToldSpan;
using model::Query;

Query query_of(std::string text) {
  Query query = output::sample_query();
  query.text_length = text.size();
  query.text = std::move(text);
  return query;
}

Spans spans() { return {{{"host.name", "db1"}}, output::redact}; }

ToldSpan told(const Query& query) {
  Spans all = spans();
  all.add(query);
  EXPECT_EQ(all.count(), 1U);
  const auto told = spans_told(all.take("1.2.3"));
  EXPECT_EQ(told.size(), 1U);
  return told.at(0);
}

TEST(Spans, TellWhatIsKnown) {
  Query query = query_of("select a from orders o join shop.customers where b = 'secret' limit 5");
  const ToldSpan span = told(query);
  EXPECT_EQ(span.name, "SELECT orders shop.customers");
  EXPECT_EQ(span.start_ns, query.start_ns);
  EXPECT_EQ(span.end_ns, query.start_ns + query.duration_ns);
  EXPECT_FALSE(span.failed);
  EXPECT_EQ(span.parent_id, "");
  EXPECT_EQ(span.resource, (Labels{{"host.name", "db1"}, {"service.name", "mysql"}}));
  EXPECT_EQ(span.attributes["db.system.name"], "mysql");
  EXPECT_EQ(span.attributes["db.namespace"], *query.database);
  EXPECT_EQ(span.attributes["db.query.summary"], span.name);
  EXPECT_EQ(span.attributes["dbtrace.connection_id"], *query.connection_id);
  EXPECT_EQ(span.attributes["dbtrace.rows_sent"], *query.rows_sent);
  const auto text = span.attributes["db.query.text"].get<std::string>();
  EXPECT_TRUE(text.starts_with("SELECT")) << text;
  EXPECT_EQ(text.find("secret"), std::string::npos);
}

TEST(Spans, TellErrors) {
  Query query = query_of("select 1");
  query.error = 1146;
  EXPECT_TRUE(told(query).failed);
  EXPECT_EQ(told(query).attributes["db.response.status_code"], "1146");
  query.flavor = "postgres";
  query.sqlstate = "42P01";
  EXPECT_EQ(told(query).attributes["error.type"], "42P01");
  EXPECT_EQ(told(query).attributes["db.system.name"], "postgresql");
}

TEST(Spans, TellWhereTheTimeWent) {
  const Query query = output::sample_with_budget();
  const ToldSpan span = told(query);
  EXPECT_EQ(span.attributes["dbtrace.budget.unexplained_ns"], query.budget->unexplained_ns);
  EXPECT_EQ(span.attributes["dbtrace.budget.on_cpu_ns"], query.budget->ns(model::Cause::OnCpu));
}

TEST(Spans, BelongToTheirClientsTrace) {
  const ToldSpan span = told(query_of(
      "select 1 /*traceparent='00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'*/"));
  EXPECT_EQ(span.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(span.parent_id, "00f067aa0ba902b7");
  EXPECT_EQ(span.flags, 0x301U);
  const ToldSpan own = told(query_of("select 1"));
  EXPECT_NE(own.trace_id, told(query_of("select 1")).trace_id);
  EXPECT_EQ(own.flags, 0U);
}

TEST(Spans, HaveANameWithoutText) {
  Query query = query_of("");
  query.text_state = model::TextState::None;
  query.command = "Ping";
  EXPECT_EQ(told(query).name, "Ping");
  EXPECT_FALSE(told(query).attributes.contains("db.query.text"));
  EXPECT_EQ(told(query_of("")).attributes.contains("db.query.text"), false);
}

TEST(Spans, AreValidWhateverQueriesHold) {
  const std::string hostile("\xff\x00\xed\xa0\x80`\n'\"/*", 12);
  Query query = query_of("select " + hostile + " from `" + std::string(5000, '\xe6') +
                         "`, `a\xff"
                         "b`");
  query.user = query.database = query.host = query.application = hostile;
  query.ip.reset();
  (void)told(query);  // throws
  std::string many = "select 1 from t0";
  for (int i = 1; i < 100; ++i) many += ", a_rather_long_name_of_a_table_" + std::to_string(i);
  EXPECT_LE(told(query_of(many)).name.size(), 255U);
}

TEST(Spans, AreTakenOnce) {
  Spans all = spans();
  all.add(query_of("select 1"));
  Query other = query_of("select 2");
  other.flavor = "mariadb";
  all.add(other);
  EXPECT_EQ(all.count(), 2U);
  EXPECT_GT(all.bytes(), 0U);
  EXPECT_EQ(spans_told(all.take("1")).size(), 2U);
  EXPECT_EQ(all.count(), 0U);
  EXPECT_EQ(all.bytes(), 0U);
  EXPECT_EQ(all.take("1"), "");
}

}  // namespace
}  // namespace dbtrace::otlp
