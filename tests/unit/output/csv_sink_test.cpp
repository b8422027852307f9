#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/unit/output/csv_rows.h"
#include "tests/unit/output/sample_query.h"

namespace dbtrace::output {
namespace {

// A row by the names of its heading.
std::map<std::string, std::string> row_of(const model::Query& query) {
  const auto sink = make_sink({.format = Format::Csv});
  std::string out;
  sink->begin(out);
  sink->write(query, out);
  const auto rows = parse_csv(out);
  EXPECT_EQ(rows.size(), 2U) << out;
  EXPECT_EQ(rows[0].size(), rows[1].size()) << out;
  std::map<std::string, std::string> row;
  for (size_t i = 0; i < rows[0].size(); ++i)
    EXPECT_TRUE(row.emplace(rows[0][i], rows[1][i]).second) << rows[0][i] << " stands twice";
  return row;
}

TEST(CsvSink, HasARowAQuery) {
  auto row = row_of(sample_query());
  EXPECT_EQ(row["start"], "2026-01-02T03:04:05.123456789Z");
  EXPECT_EQ(row["duration_ns"], "123456");
  EXPECT_EQ(row["pid"], "4242");
  EXPECT_EQ(row["conn"], "8");
  EXPECT_EQ(row["user"], "app");
  EXPECT_EQ(row["host"], "web1");
  EXPECT_EQ(row["application"], "");
  EXPECT_EQ(row["db"], "shop");
  EXPECT_EQ(row["command"], "Query");
  EXPECT_EQ(row["query"], "select 1");
  EXPECT_EQ(row["query_length"], "8");
  EXPECT_EQ(row["error"], "0");
  EXPECT_EQ(row["rows_examined"], "20");
  EXPECT_EQ(row["on_cpu_ns"], "");
  EXPECT_EQ(row["reads"], "");
  EXPECT_EQ(row["blocker_conn"], "");
}

TEST(CsvSink, HasTheBudget) {
  auto row = row_of(sample_with_budget());
  EXPECT_EQ(row["on_cpu_ns"], "30000");
  EXPECT_EQ(row["row_lock_ns"], "70000");
  EXPECT_EQ(row["fsync_ns"], "0");
  EXPECT_EQ(row["unexplained_ns"], "456");
  EXPECT_EQ(row["reads"], "3");
  EXPECT_EQ(row["read_bytes"], "49152");
  EXPECT_EQ(row["fsyncs_ns"], "0");
  EXPECT_EQ(row["blocked_ns"], "69000");
  EXPECT_EQ(row["blocker_conn"], "9");
  EXPECT_EQ(row["blocker_query"], "update orders set a = 1");
}

TEST(CsvSink, WhatIsNotKnownIsEmpty) {
  model::Query query = sample_query();
  query.start_known = false;
  query.rows_sent.reset();
  query.text_state = model::TextState::None;
  auto row = row_of(query);
  EXPECT_EQ(row["start"], "");
  EXPECT_EQ(row["duration_ns"], "");
  EXPECT_EQ(row["rows_sent"], "");
  EXPECT_EQ(row["query"], "");
  EXPECT_EQ(row["query_length"], "");
}

TEST(CsvSink, TextStaysInItsField) {
  model::Query query = sample_query();
  set_text(query, "select \"a\",\r\n'b', \x1b[31m\xff from t");
  query.command = "a,b";  // a file may say anything
  query.sqlstate = "\"\r\n,";
  auto row = row_of(query);
  EXPECT_EQ(row["query"], "select \"a\", 'b', \\x1b[31m\\xff from t");
  EXPECT_EQ(row["command"], "a,b");
  EXPECT_EQ(row["sqlstate"], "\" ,");
}

TEST(CsvSink, HasNoFormulas) {
  for (const char* text : {"=1+1", "+1", "-1", "@a"}) {
    model::Query query = sample_query();
    query.user = text;
    set_text(query, std::string(" \n") + text);
    EXPECT_EQ(row_of(query)["user"], std::string("'") + text);
    EXPECT_EQ(row_of(query)["query"], std::string("'") + text);
  }
}

TEST(CsvSink, PasswordsAreRedacted) {
  model::Query query = sample_query();
  set_text(query, "create user u identified by 'secret'");
  EXPECT_EQ(row_of(query)["query"], "create user u identified by '<redacted>'");
}

}  // namespace
}  // namespace dbtrace::output
