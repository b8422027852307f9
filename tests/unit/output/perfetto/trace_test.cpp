// What a trace says is what the queries say, as protoc reads it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/output/perfetto/perfetto.h"
#include "tests/unit/output/perfetto/decoded.h"
#include "tests/unit/output/sample_query.h"

namespace dbtrace::output::perfetto {
namespace {

using dbtrace::testing::DecodedTrace;
using dbtrace::testing::Slice;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr uint64_t kBegin = 1'767'323'045'000'000'000;

TraceOptions options() {
  return {.begin_ns = kBegin,
          .servers = {{4242, "mysql", "MySQL 9.7.0"}},
          .name = [](const model::Query& query) -> std::string_view { return query.text; }};
}

std::string trace_of(const std::vector<model::Query>& queries,
                     const TraceOptions& how = options()) {
  Survey survey;
  for (const model::Query& query : queries) survey.add(query);
  const auto sink = make_perfetto_sink(how, std::move(survey));
  std::string out;
  sink->begin(out);
  for (const model::Query& query : queries) sink->write(query, out);
  sink->finish(out);
  return out;
}

DecodedTrace decoded(const std::vector<model::Query>& queries,
                     const TraceOptions& how = options()) {
  return dbtrace::testing::decode_trace(trace_of(queries, how));
}

model::Query at(uint64_t begin_ns, uint64_t end_ns, uint64_t connection = 8) {
  model::Query query = sample_query();
  query.start_ns = kBegin + begin_ns;
  query.duration_ns = end_ns - begin_ns;
  query.connection_id = connection;
  return query;
}

TEST(PerfettoTrace, NothingIsATrace) {
  const DecodedTrace trace = decoded({});
  EXPECT_EQ(trace.begin_ns, kBegin);
  EXPECT_TRUE(trace.slices.empty());
}

TEST(PerfettoTrace, HasASliceAQuery) {
  const DecodedTrace trace = decoded({sample_query()});
  ASSERT_EQ(trace.slices.size(), 1U);
  const Slice& slice = trace.slices[0];
  EXPECT_EQ(slice.track, "app/shop #8");
  EXPECT_EQ(slice.server, "MySQL 9.7.0");
  EXPECT_EQ(slice.pid, 4242U);
  EXPECT_EQ(slice.name, "select 1");
  EXPECT_EQ(slice.begin_ns, 1'767'323'045'123'456'789U);
  EXPECT_EQ(slice.end_ns - slice.begin_ns, 123'456U);
  EXPECT_EQ(slice.arguments, (nlohmann::json{{"command", "Query"},
                                             {"pid", 4242},
                                             {"tid", 4250},
                                             {"conn", 8},
                                             {"user", "app"},
                                             {"host", "web1"},
                                             {"db", "shop"},
                                             {"error", 0},
                                             {"rows_sent", 1},
                                             {"rows_examined", 20}}));
}

TEST(PerfettoTrace, SaysWhereTheTimeWent) {
  model::Query query = sample_with_budget();
  query.named_waits.emplace();
  query.named_waits->waits.push_back({{"Lock", "transactionid"}, 70'000, 2});
  query.named_waits->others_ns = 5;
  const nlohmann::json arguments = decoded({query}).slices.at(0).arguments;
  EXPECT_EQ(arguments.at("budget"), (nlohmann::json{{"on_cpu_ns", 30'000},
                                                    {"file_read_ns", 20'000},
                                                    {"lock_ns", 3'000},
                                                    {"row_lock_ns", 70'000},
                                                    {"unexplained_ns", 456}}));
  const nlohmann::json reads = {
      {"count", 3}, {"blocked", 1}, {"bytes", 49'152}, {"ns", 25'000}, {"max_ns", 21'000}};
  EXPECT_EQ(arguments.at("reads"), reads);
  EXPECT_EQ(arguments.at("files"),
            nlohmann::json::array(
                {{{"file", "orders.ibd"}, {"table", "shop.orders"}, {"reads", reads}}}));
  EXPECT_EQ(arguments.at("wait_events"),
            nlohmann::json::array(
                {{{"type", "Lock"}, {"event", "transactionid"}, {"ns", 70'000}, {"waits", 2}}}));
  EXPECT_EQ(arguments.at("other_wait_events_ns"), 5);
  EXPECT_EQ(arguments.at("blocker"), (nlohmann::json{{"waited_ns", 69'000},
                                                     {"cause", "row_lock"},
                                                     {"pid", 4242},
                                                     {"conn", 9},
                                                     {"thread", "connection"},
                                                     {"query", "update orders set a = 1"}}));
}

TEST(PerfettoTrace, SaysWhatFailed) {
  model::Query query = sample_query();
  query.error = 1205;
  query.sqlstate = "40001";
  query.process_ended = true;
  query.query_id = -42;
  query.rows_sent.reset();
  const nlohmann::json arguments = decoded({query}).slices.at(0).arguments;
  EXPECT_EQ(arguments.at("error"), 1205);
  EXPECT_EQ(arguments.at("sqlstate"), "40001");
  EXPECT_EQ(arguments.at("process_ended"), true);
  EXPECT_EQ(arguments.at("query_id"), -42);
  EXPECT_FALSE(arguments.contains("rows_sent"));
}

TEST(PerfettoTrace, TheTextIsAnArgumentWhereTheNameIsNot) {
  TraceOptions how = options();
  how.name = [](const model::Query&) -> std::string_view { return "SELECT ?"; };
  const Slice slice = decoded({sample_query()}, how).slices.at(0);
  EXPECT_EQ(slice.name, "SELECT ?");
  EXPECT_EQ(slice.arguments.at("query"), "select 1");

  model::Query large = sample_query();
  set_text(large, "select " + std::string(1000, 'x'), 7);
  const Slice cut = decoded({large}).slices.at(0);
  EXPECT_LE(cut.name.size(), 210U);
  EXPECT_EQ(cut.arguments.at("query"), large.text);
  EXPECT_EQ(cut.arguments.at("query_length"), 1014);
}

TEST(PerfettoTrace, StatementsAreInTheirCommand) {
  model::Query inner = at(20, 30), second = at(40, 50), outer = at(15, 60), command = at(10, 90);
  inner.depth = 2;
  second.depth = 2;
  outer.depth = 1;
  const DecodedTrace trace = decoded({inner, second, outer, command, at(90, 95)});
  std::vector<std::pair<uint64_t, size_t>> depths;
  for (const Slice& slice : trace.slices) depths.emplace_back(slice.begin_ns - kBegin, slice.depth);
  EXPECT_THAT(depths, ElementsAre(Pair(10, 0), Pair(15, 1), Pair(20, 2), Pair(40, 2), Pair(90, 0)));
  EXPECT_EQ(trace.slices[1].end_ns, kBegin + 60);
}

TEST(PerfettoTrace, WhatOverlapsHasATrackOfItsOwn) {
  const DecodedTrace trace = decoded({at(10, 30), at(20, 40), at(40, 50)});
  std::vector<std::string> tracks;
  for (const Slice& slice : trace.slices) {
    EXPECT_EQ(slice.depth, 0U);
    tracks.push_back(slice.track);
  }
  EXPECT_THAT(tracks, ElementsAre("app/shop #8", "app/shop #8 (2)", "app/shop #8"));
}

TEST(PerfettoTrace, SessionsHaveTheirNames) {
  model::Query other = at(10, 20, 9), nobody = at(10, 20, 10), thread = at(10, 20);
  other.database = "blog";
  model::Query moved = other;
  moved.start_ns += 10;
  moved.database = "shop";
  nobody.user.reset();
  nobody.database.reset();
  thread.connection_id.reset();
  const DecodedTrace trace = decoded({at(10, 20), other, nobody, thread, moved});
  std::vector<std::string> tracks;
  for (const Slice& slice : trace.slices) tracks.push_back(slice.track);
  EXPECT_THAT(tracks,
              ElementsAre("app/shop #8", "app #9", "#10", "app/shop thread 4250", "app #9"));
}

// PostgreSQL's sessions are processes, of the only server that there is.
TEST(PerfettoTrace, SessionsAreBelowTheirServer) {
  TraceOptions how = options();
  how.servers.push_back({std::nullopt, "postgres", "PostgreSQL 15.18"});
  model::Query process = at(10, 20);
  process.flavor = "postgres";
  process.pid = 99;
  DecodedTrace trace = decoded({process}, how);
  EXPECT_EQ(trace.slices.at(0).server, "PostgreSQL 15.18");
  EXPECT_EQ(trace.slices.at(0).pid, 0U);
  how.servers.push_back({std::nullopt, "postgres", "PostgreSQL 18.4"});
  EXPECT_EQ(decoded({process}, how).slices.at(0).server, "");
}

TEST(PerfettoTrace, ArrowsLeadFromBlockers) {
  model::Query blocked = at(100, 2000, 9), commit = at(1500, 2100, 8);
  set_text(commit, "commit");
  blocked.blocker.emplace();
  blocked.blocker->waited_ns = 1800;
  blocked.blocker->pid = blocked.pid;
  blocked.blocker->connection_id = 8;
  blocked.blocker->query = "commit";
  const DecodedTrace trace = decoded({at(10, 20, 8), blocked, commit});
  ASSERT_EQ(trace.slices.size(), 3U);
  EXPECT_THAT(trace.arrows, ElementsAre(Pair(2, 1)));
}

TEST(PerfettoTrace, HostileTextIsMadeFit) {
  model::Query query = sample_with_budget();
  set_text(query, std::string("a\x1b[31m\xff\xc3\x00z\"\\\n\xe2\x80\xaeз", 18));
  query.user = "\xfe\n";
  query.database = "\x1b]0;";
  query.blocker->query = "\xc3";
  query.io->files[0].file.content = "\x80.\x01";
  TraceOptions how = options();
  how.servers[0].title = "\xff\x1b";
  const Slice slice = decoded({query}, how).slices.at(0);
  EXPECT_EQ(slice.track, "\\xfe/\\x1b]0; #8");
  EXPECT_EQ(slice.server, "\\xff\\x1b");
  EXPECT_THAT(slice.name, HasSubstr("a\\x1b[31m\\xff"));
  EXPECT_THAT(slice.name, HasSubstr("\\u202e"));
  EXPECT_EQ(slice.arguments.at("files")[0].at("table"), "\\x80.\\x01");
}

TEST(PerfettoTrace, PasswordsAreRedacted) {
  model::Query query = sample_with_budget();
  TraceOptions how = options();
  how.name = [](const model::Query&) -> std::string_view { return "CREATE USER"; };
  set_text(query, "create user u identified by 'secret'");
  query.blocker->query = query.text;
  query.blocker->query_length = query.text.size();
  const std::string trace = trace_of({query}, how);
  EXPECT_THAT(trace, HasSubstr("create user u identified by '<redacted>'"));
  EXPECT_EQ(trace.find("secret"), std::string::npos);
}

// A file may say anything: such a query is on a track of its own.
TEST(PerfettoTrace, TimesDoNotRunBackwards) {
  model::Query query = sample_query();
  query.start_ns = UINT64_MAX - 5;
  query.duration_ns = 100;
  const Slice slice = decoded({query}).slices.at(0);
  EXPECT_EQ(slice.end_ns, UINT64_MAX);
}

TEST(PerfettoTrace, NamesStandThereOnce) {
  std::vector<model::Query> queries;
  for (uint64_t i = 0; i < 1000; ++i) queries.push_back(at(i, i + 1));
  const std::string one = trace_of({queries[0]}), thousand = trace_of(queries);
  EXPECT_LT(thousand.size() - one.size(), 1000 * 150U);
  EXPECT_EQ(thousand.find("rows_examined"), thousand.rfind("rows_examined"));
}

}  // namespace
}  // namespace dbtrace::output::perfetto
