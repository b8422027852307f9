#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/output/sample_query.h"

namespace dbtrace::output {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

model::Query sample() {
  model::Query query = sample_query();
  query.flavor = "postgres";
  query.host = "[local]";
  query.application = "psql";
  return query;
}

std::string event(const model::Query& query) { return written({.format = Format::PgLog}, query); }

TEST(PgLogSink, WritesWhatTheServerWould) {
  EXPECT_EQ(event(sample()),
            "2026-01-02 03:04:05.123 UTC [4242]: user=app,db=shop,app=psql,client=[local] LOG:  "
            "duration: 0.123 ms  statement: select 1\n");
}

TEST(PgLogSink, SaysHowItWasAskedFor) {
  model::Query query = sample();
  query.command = "Execute";
  EXPECT_THAT(event(query), HasSubstr("duration: 0.123 ms  execute <unnamed>: select 1\n"));
}

TEST(PgLogSink, Failures) {
  model::Query query = sample();
  query.error = 1;
  query.sqlstate = "42P01";
  EXPECT_EQ(event(query),
            "2026-01-02 03:04:05.123 UTC [4242]: user=app,db=shop,app=psql,client=[local] ERROR:  "
            "42P01: failed after 0.123 ms\n"
            "2026-01-02 03:04:05.123 UTC [4242]: user=app,db=shop,app=psql,client=[local] "
            "STATEMENT:  select 1\n");
}

TEST(PgLogSink, NobodyForgesALine) {
  model::Query query = sample();
  set_text(query, "select 1\n2026-01-02 03:04:05 UTC [1]: LOG:  duration: 9 ms");
  query.application = "a,b=c\nx y";
  const std::string out = event(query);
  EXPECT_THAT(out, HasSubstr("select 1\n\t2026-01-02"));
  EXPECT_THAT(out, HasSubstr(",app=a_b=c_x_y,"));
}

TEST(PgLogSink, NobodyDrivesATerminal) {
  model::Query query = sample();
  set_text(query, "select '\x1b]0;x\a\b\xff\u2028\\\t\u00e4'");
  query.user = "a\x1b[2J\u202eb\u00e4";
  const std::string out = event(query);
  EXPECT_THAT(out, HasSubstr("select '\\x1b]0;x\\x07\\x08\\xff\\u2028\\\t\u00e4'\n"));
  EXPECT_THAT(out, HasSubstr("user=a_[2J_b\u00e4,"));
}

TEST(PgLogSink, WhatIsMissingIsSaid) {
  model::Query query = sample();
  query.user.reset();
  set_text(query, "select", 4000);
  EXPECT_THAT(event(query), HasSubstr("user=[unknown],"));
  EXPECT_THAT(event(query), EndsWith("select /* truncated, 4000 bytes */\n"));
  query.text_state = model::TextState::Unreadable;
  EXPECT_THAT(event(query), EndsWith("statement: /* text unreadable */\n"));
  query.text_state = model::TextState::None;
  query.command = "FunctionCall";
  EXPECT_THAT(event(query), EndsWith("statement: /* FunctionCall */\n"));
}

}  // namespace
}  // namespace dbtrace::output
