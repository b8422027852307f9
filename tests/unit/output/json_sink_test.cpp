#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/output/json_writer.h"
#include "tests/unit/output/sample_query.h"

namespace dbtrace::output {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using std::literals::string_view_literals::operator""sv;

std::string json_text(const model::Query& query) {
  return written(FormatOptions{.format = Format::Json}, query);
}
json parsed(const model::Query& query) { return json::parse(json_text(query)); }

TEST(JsonSink, WritesOneObjectALineWithAllMembersInOrder) {
  EXPECT_EQ(json_text(sample_query()),
            R"({"start":"2026-01-02T03:04:05.123456789Z","duration_ns":123456,"pid":4242,)"
            R"("tid":4250,"flavor":"mysql","conn":8,"user":"app","host":"web1","db":"shop",)"
            R"("command":"Query","query":"select 1","query_length":8,"truncated":false,)"
            R"("error":0,"rows_sent":1,"rows_examined":20})"
            "\n");
}

TEST(JsonSink, HasNoHeading) {
  std::string out;
  make_sink(FormatOptions{.format = Format::Json})->begin(out);
  EXPECT_EQ(out, "");
}

TEST(JsonSink, AbsentIsNull) {
  model::Query query;
  query.flavor = "mariadb";
  query.command = "Ping";
  EXPECT_EQ(json_text(query),
            R"({"start":"1970-01-01T00:00:00.000000000Z","duration_ns":0,"pid":0,"tid":0,)"
            R"("flavor":"mariadb","conn":null,"user":null,"host":null,"db":null,)"
            R"("command":"Ping","query":null,"query_length":null,"truncated":false,)"
            R"("error":null,"rows_sent":null,"rows_examined":null})"
            "\n");
}

TEST(JsonSink, SaysWhereAStatementStandsWhenThatIsTraced) {
  model::Query query = sample_query();
  query.statement_id = 7;
  query.children_ns = 100'000;
  EXPECT_THAT(json_text(query),
              HasSubstr(R"("statement_id":7,"parent_id":null,"depth":0,"own_ns":23456})"));
  query.parent_id = 6;
  query.depth = 3;
  query.children_ns = 0;
  EXPECT_THAT(json_text(query),
              HasSubstr(R"("statement_id":7,"parent_id":6,"depth":3,"own_ns":123456})"));
}

TEST(JsonSink, EmptyTextIsNotNull) {
  model::Query query = sample_query();
  set_text(query, "");
  EXPECT_EQ(parsed(query)["query"], "");
  EXPECT_EQ(parsed(query)["query_length"], 0);
}

TEST(JsonSink, SecondsChangeFromQueryToQuery) {
  const auto sink = make_sink(FormatOptions{.format = Format::Json});
  model::Query query = sample_query();
  for (const char* start : {"2026-01-02T03:04:05.123456789Z", "2026-01-02T03:04:06.123456789Z",
                            "2026-01-02T03:04:07.123456789Z"}) {
    EXPECT_EQ(json::parse(written(*sink, query))["start"], start);
    query.start_ns += 1'000'000'000;
  }
  query.start_ns = UINT64_MAX;
  EXPECT_EQ(json::parse(written(*sink, query))["start"], "2554-07-21T23:34:33.709551615Z");
}

TEST(JsonSink, HostIsTheAddressWhereThereIsNoName) {
  model::Query query = sample_query();
  query.host = "";
  EXPECT_EQ(parsed(query)["host"], "10.0.0.7");
  query.host.reset();
  EXPECT_EQ(parsed(query)["host"], "10.0.0.7");
}

TEST(JsonSink, LargestNumbersSurvive) {
  model::Query query = sample_query();
  query.duration_ns = UINT64_MAX;
  query.rows_examined = UINT64_MAX;
  query.text_length = UINT64_MAX;
  const json object = parsed(query);
  EXPECT_EQ(object["duration_ns"].get<uint64_t>(), UINT64_MAX);
  EXPECT_EQ(object["rows_examined"].get<uint64_t>(), UINT64_MAX);
  EXPECT_EQ(object["query_length"].get<uint64_t>(), UINT64_MAX);
}

TEST(JsonSink, TextComesBackAsItWas) {
  for (std::string_view text : {"a\"b\\c/d"sv, "tab\tline\nreturn\r"sv, "\0\x01\x1b[31m\x7f"sv,
                                "caf\xc3\xa9 中文 \xf0\x9f\x98\x80"sv, "\xe2\x80\xae \xc2\x9b"sv,
                                "\xf3\xa0\x81\x81"sv, "\xef\xbf\xbf"sv}) {
    model::Query query = sample_query();
    set_text(query, text);
    const json object = parsed(query);
    EXPECT_EQ(object["query"], text);
    EXPECT_FALSE(object.contains("query_base64"));
  }
}

TEST(JsonSink, CharactersThatDriveTerminalsAreEscaped) {
  model::Query query = sample_query();
  set_text(query, "\x1b\x7f\xc2\x9b\xe2\x80\xae\xf3\xa0\x81\x81\xc3\xa9");
  EXPECT_THAT(json_text(query),
              ::testing::HasSubstr(R"("query":"\u001b\u007f\u009b\u202e\udb40\udc41é")"));
}

TEST(JsonSink, InvalidUtf8GoesAlongInBase64) {
  model::Query query = sample_query();
  set_text(query, "insert '\xff\xfe' caf\xe9");
  query.user = "\xe9ric";
  query.host = "h\xff";
  query.database = "d\xff";
  const json object = parsed(query);
  EXPECT_EQ(object["query"], "insert '\ufffd\ufffd' caf\ufffd");
  EXPECT_EQ(object["query_base64"], "aW5zZXJ0ICf//icgY2Fm6Q==");
  EXPECT_EQ(object["user"], "\ufffdric");
  EXPECT_EQ(object["user_base64"], "6XJpYw==");
  EXPECT_EQ(object["host_base64"], "aP8=");
  EXPECT_EQ(object["db_base64"], "ZP8=");
}

TEST(JsonSink, TextCutWithinACharacterIsStillValid) {
  model::Query query = sample_query();
  set_text(query, "select '\xe2\x82", 10);
  json object = parsed(query);
  EXPECT_EQ(object["query"], "select '");
  EXPECT_FALSE(object.contains("query_base64"));
  EXPECT_EQ(object["query_length"], 20);
  EXPECT_EQ(object["truncated"], true);

  // The same bytes in a text that was not cut are not UTF-8.
  set_text(query, "select '\xe2\x82");
  object = parsed(query);
  EXPECT_EQ(object["query"], "select '\ufffd\ufffd");
  EXPECT_TRUE(object.contains("query_base64"));
}

TEST(JsonSink, Base64HoldsTheLastByteOfACutTextToo) {
  model::Query query = sample_query();
  set_text(query, "\xff caf\xe9", 3);
  EXPECT_EQ(parsed(query)["query_base64"], "/yBjYWbp");
}

TEST(JsonSink, UnreadableTextSaysSo) {
  model::Query query = sample_query();
  query.text.clear();
  query.text_state = model::TextState::Unreadable;
  query.text_length = 77;
  const json object = parsed(query);
  EXPECT_TRUE(object["query"].is_null());
  EXPECT_EQ(object["query_unreadable"], true);
  EXPECT_EQ(object["query_length"], 77);
  EXPECT_EQ(object["truncated"], false);
  EXPECT_FALSE(parsed(sample_query()).contains("query_unreadable"));
}

TEST(JsonSink, RedactsPasswordsAndSaysSo) {
  model::Query query = sample_query();
  set_text(query, "SET PASSWORD = 'h\xffunter2'");
  const std::string text = json_text(query);
  const json object = json::parse(text);
  EXPECT_EQ(object["query"], "SET PASSWORD = '<redacted>'");
  EXPECT_EQ(object["redacted"], true);
  EXPECT_EQ(object["query_length"], query.text.size());
  EXPECT_EQ(object["truncated"], false);
  EXPECT_FALSE(object.contains("query_base64"));
  EXPECT_FALSE(parsed(sample_query()).contains("redacted"));
}

TEST(JsonSink, AGapIsAnObjectOfItsOwn) {
  std::string out;
  make_sink({.format = Format::Json})
      ->lost({.from_ns = 1'000'000'000,
              .until_ns = 2'000'000'005,
              .classes = {{"ring full", 12}, {"orphaned", 1}}},
             out);
  EXPECT_EQ(out,
            "{\"lost\":{\"ring full\":12,\"orphaned\":1},"
            "\"start\":\"1970-01-01T00:00:01.000000000Z\","
            "\"until\":\"1970-01-01T00:00:02.000000005Z\"}\n");
}

TEST(Base64, PadsAsRfc4648Shows) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
  };
  for (const auto& [bytes, expected] : cases) {
    std::string out;
    append_base64(out, bytes);
    EXPECT_EQ(out, expected);
  }
}

}  // namespace
}  // namespace dbtrace::output
