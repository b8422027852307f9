#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "tests/unit/output/sample_query.h"

namespace dbtrace::output {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class TextSink : public ::testing::Test {
 protected:
  TextSink() {
    setenv("TZ", "UTC-2", 1);  // two hours east of Greenwich
    tzset();
  }
  ~TextSink() override {
    unsetenv("TZ");
    tzset();
  }
};

std::string text(const model::Query& query, size_t width = 0) {
  return written(FormatOptions{.width = width}, query);
}

TEST_F(TextSink, LinesUpUnderItsHeading) {
  std::string out;
  const auto sink = make_sink({});
  sink->begin(out);
  sink->write(sample_query(), out);
  EXPECT_EQ(out,
            "TIME           CONN USER               DB             TOOK   ROWS QUERY\n"
            "05:04:05.123      8 app@web1           shop          123µs      1 select 1\n");
}

TEST_F(TextSink, ShowsTheServerWhenThereAreSeveral) {
  std::string out;
  const auto sink = make_sink({.show_server = true});
  sink->begin(out);
  sink->write(sample_query(), out);
  EXPECT_EQ(out,
            "TIME             PID   CONN USER               DB             TOOK   ROWS QUERY\n"
            "05:04:05.123    4242      8 app@web1           shop          123µs      1 select 1\n");
}

TEST_F(TextSink, AbsentIsADash) {
  model::Query query;
  query.command = "Query";
  set_text(query, "select 1");
  EXPECT_EQ(text(query),
            "02:00:00.000      - -                  -               0ns      - select 1\n");
}

TEST_F(TextSink, ShowsOtherCommandsAndErrorsBeforeTheText) {
  model::Query query = sample_query();
  query.command = "Execute";
  EXPECT_THAT(text(query), EndsWith(" 1 [Execute] select 1\n"));
  query.error = 1146;
  EXPECT_THAT(text(query), EndsWith(" 1 [Execute] ERR 1146 select 1\n"));
  query.command = "Query";
  EXPECT_THAT(text(query), EndsWith(" 1 ERR 1146 select 1\n"));
}

TEST_F(TextSink, IndentsStatementsAndTellsOwnTime) {
  model::Query query = sample_query();
  query.command = model::kStatement;
  query.statement_id = 7;
  query.depth = 2;
  EXPECT_THAT(text(query), EndsWith(" 1     select 1\n"));
  query.children_ns = 120'000;
  EXPECT_THAT(text(query), EndsWith(" 1     [own 3.5µs] select 1\n"));
  query.depth = 1000;
  EXPECT_THAT(text(query), EndsWith(" 1 " + std::string(32, ' ') + "[own 3.5µs] select 1\n"));
  EXPECT_EQ(text(query, 60).size(), 60U + sizeof("µs") - sizeof("us") + sizeof('\n'));
}

TEST_F(TextSink, CommandWithoutTextIsItsNameAlone) {
  model::Query query = sample_query();
  query.command = "Ping";
  query.text_state = model::TextState::None;
  query.text.clear();
  query.text_length = 0;
  EXPECT_THAT(text(query), EndsWith(" 1 [Ping]\n"));
}

TEST_F(TextSink, MarksTextThatWasCutOrCouldNotBeRead) {
  model::Query query = sample_query();
  set_text(query, "select 'abc", 1000);
  EXPECT_THAT(text(query), EndsWith("select 'abc…[+1000 bytes]\n"));
  set_text(query, "select '\xe2\x82", 1000);
  EXPECT_THAT(text(query), EndsWith("select '…[+1002 bytes]\n"));
  query.text_state = model::TextState::Unreadable;
  EXPECT_THAT(text(query), EndsWith(" 1 <text unreadable>\n"));
}

TEST_F(TextSink, RedactedTextKeepsItsMark) {
  model::Query query = sample_query();
  set_text(query, "create user u identified by 'hunt", 3);
  EXPECT_THAT(text(query), EndsWith("create user u identified by '<redacted>'…[+3 bytes]\n"));
}

TEST_F(TextSink, CutsLinesToTheWidthOfTheTerminal) {
  model::Query query = sample_query();
  set_text(query, "select a, b, c from t");
  const std::string prefix = "05:04:05      8 app      shop      123µs      1 ";
  EXPECT_EQ(text(query, 48 + 21), prefix + "select a, b, c from t\n");
  EXPECT_EQ(text(query, 48 + 20), prefix + "select a, b, c from…\n");
  EXPECT_EQ(text(query, 48 + 4), prefix + "sel…\n");
  set_text(query, "select 中文字");
  EXPECT_EQ(text(query, 48 + 13), prefix + "select 中文字\n");
  EXPECT_EQ(text(query, 48 + 12), prefix + "select 中文…\n");
}

// The host, milliseconds and a part of long names make room for the query.
TEST_F(TextSink, KeepsRoomForTheQueryOnNarrowTerminals) {
  model::Query query = sample_query();
  query.user = "a_user_with_a_long_name";
  set_text(query, std::string(200, 'x'));
  EXPECT_EQ(text(query, 80), "05:04:05      8 a_user_… shop      123µs      1 " +
                                 std::string(31, 'x') + "…\n");
  EXPECT_EQ(text(query, 110),
            "05:04:05.123      8 a_user_with_a_lon… shop          123µs      1 " +
                std::string(43, 'x') + "…\n");
  query.user.reset();
  EXPECT_THAT(text(query, 80), HasSubstr(" - "));
}

TEST_F(TextSink, CutTextEndsInAnEllipsisEvenWhereItJustFits) {
  model::Query query = sample_query();
  set_text(query, "select a", 100);
  EXPECT_THAT(text(query, 48 + 8), EndsWith(" select …\n"));
  EXPECT_THAT(text(query, 48 + 20), EndsWith(" select a…[+100 byte…\n"));
  EXPECT_THAT(text(query, 48 + 21), EndsWith(" select a…[+100 bytes]\n"));
}

TEST_F(TextSink, CutsNamesOnlyForTerminals) {
  model::Query query = sample_query();
  query.user = "a_user_with_a_long_name";
  query.database = "a_database_with_a_long_name";
  EXPECT_THAT(text(query), HasSubstr(" a_user_with_a_long_name@web1 a_database_with_a_long_name "));
  EXPECT_THAT(text(query, 200), HasSubstr(" a_user_with_a_lon… a_database_… "));
}

TEST_F(TextSink, NeverCutsNumbersToFitTheirColumn) {
  model::Query query = sample_query();
  query.connection_id = 123'456'789;
  query.rows_sent = 1'000'000'000;
  EXPECT_EQ(text(query, 200),
            "05:04:05.123 123456789 app@web1           shop          123µs 1000000000 select 1\n");
}

TEST_F(TextSink, FitsAnyWidth) {
  model::Query query = sample_query();
  query.error = 1064;
  query.command = "Execute";
  for (size_t width = 1; width < 120; ++width) {
    std::string line = text(query, width);
    size_t columns = 0;
    for (char c : line) columns += (c & 0xc0) != 0x80;
    EXPECT_LE(columns - 1, width) << line;
  }
}

TEST_F(TextSink, EveryNameIsSafeForTheTerminal) {
  model::Query query = sample_query();
  query.user = "a\x1b]0;x\a";
  query.host = "h\n05:04:05.123";
  query.database = "d\xe2\x80\xae";
  set_text(query, "\x1b[2J\r\nselect\t1");
  EXPECT_EQ(text(query),
            "05:04:05.123      8 a\\x1b]0;x\\x07@h 05:04:05.123 d\\u202e       123µs      1 "
            "\\x1b[2J select 1\n");
}

TEST_F(TextSink, AccountWithoutAHostHasNoAt) {
  model::Query query = sample_query();
  query.host.reset();
  EXPECT_THAT(text(query), HasSubstr(" app@10.0.0.7 "));
  query.ip.reset();
  EXPECT_THAT(text(query), HasSubstr(" app "));
  query.host = "localhost";
  query.user.reset();
  EXPECT_THAT(text(query), HasSubstr(" -@localhost "));
}

TEST_F(TextSink, ColoursOnlyWhenAsked) {
  model::Query query = sample_query();
  query.error = 1064;
  query.duration_ns = 250'000'000;
  EXPECT_THAT(text(query), Not(HasSubstr("\x1b")));
  EXPECT_EQ(written(FormatOptions{.color = true}, query),
            "\x1b[2m05:04:05.123\x1b[0m      \x1b[2m8\x1b[0m app@web1           shop          "
            "\x1b[33m250ms\x1b[0m      1 \x1b[31mERR 1064\x1b[0m select 1\n");
}

}  // namespace
}  // namespace dbtrace::output
