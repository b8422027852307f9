// `dbtrace io` against a stub that writes down what it did with its files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/runtime/command.h"
#include "tests/runtime/io.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr const char* kShape = "budget_mariadb/mariadbd";

// What the plan's file operations really cost: of all that were done, one kind.
json done_with(const IoPlan& plan, const std::string& file, const std::string& operation) {
  for (const json& result : plan.results())
    for (const json& sum : result.at("files"))
      if (sum.at("file") == file && sum.at("operation") == operation) return sum;
  ADD_FAILURE() << "nothing done: " << operation << " of " << file;
  return json::object();
}

std::vector<json> lines_of(const std::vector<json>& lines, const std::string& file,
                           const std::string& operation) {
  std::vector<json> found;
  for (const json& line : lines)
    if (!line.at("conn").is_null() && line.at("file") == file && line.at("operation") == operation)
      found.push_back(line);
  return found;
}

// Lines are what the stub did, operation by operation.
void expect_lines(const std::vector<json>& lines, const json& done) {
  ASSERT_EQ(lines.size(), done.at("count").get<size_t>()) << done;
  int64_t bytes = 0, blocked = 0, ns = 0;
  for (const json& line : lines) {
    bytes += line.at("bytes").get<int64_t>();
    blocked += line.at("blocked").get<bool>();
    ns += line.at("duration_ns").get<int64_t>();
    EXPECT_EQ(line.at("error"), 0);
    EXPECT_EQ(line.at("async"), false);
    EXPECT_EQ(line.at("background"), false);
  }
  EXPECT_EQ(bytes, done.at("bytes").get<int64_t>());
  EXPECT_EQ(blocked, done.at("blocked").get<int64_t>());
  EXPECT_LE(ns, done.at("ns").get<int64_t>());
  EXPECT_GT(ns, 0);
}

TEST(IoList, EachOperationIsTheOneThatWasDone) {
  const std::string text = "pread a.ibd 4096 5 cold; pwrite b.ibd 100 3; fsync b.ibd";
  const IoPlan plan({"201 " + text});
  StubServer server(kShape, {}, {plan.folder()});
  IoTrace trace({"-p", server.pid_text(), "--slower-than", "0ms"});
  server.run_script();
  const std::vector<json> lines = trace.finish();

  const std::vector<json> reads = lines_of(lines, "a.ibd", "read");
  expect_lines(reads, done_with(plan, "a.ibd", "read"));
  expect_lines(lines_of(lines, "b.ibd", "write"), done_with(plan, "b.ibd", "write"));
  expect_lines(lines_of(lines, "b.ibd", "fsync"), done_with(plan, "b.ibd", "fsync"));
  for (size_t i = 0; i < reads.size(); ++i) {
    EXPECT_EQ(reads[i]["offset"], 4096 * i);
    EXPECT_EQ(reads[i]["conn"], 201);
    EXPECT_EQ(reads[i]["query"], text);
    EXPECT_EQ(reads[i]["thread"], "session");
    EXPECT_EQ(reads[i]["pid"], server.pid());
  }
}

TEST(IoList, BackgroundThreadsAreToldByName) {
  const IoPlan plan({"purge pread a.ibd 4096 7 warm"});
  StubServer server(kShape, {}, {plan.folder()});
  IoTrace trace({"-p", server.pid_text(), "--slower-than", "0ms", "--op", "read", "--file", "a.*"});
  server.run_script();
  size_t count = 0;
  for (const json& line : trace.finish()) {
    if (line.at("bytes") != 4096) continue;  // what brought the file into the cache
    ++count;
    EXPECT_EQ(line.at("thread"), "purge");
    EXPECT_EQ(line.at("background"), true);
    EXPECT_EQ(line.at("query"), nullptr);
  }
  EXPECT_EQ(count, 7U);
  EXPECT_GT(trace.account().filtered, 0) << "the stub has written the file";
}

TEST(IoList, FastOperationsDoNotLeaveTheKernel) {
  const IoPlan plan({"201 pread a.ibd 4096 100 warm"});
  StubServer server(kShape, {}, {plan.folder()});
  IoTrace trace({"-p", server.pid_text(), "--slower-than", "1h"});
  server.run_script();
  EXPECT_TRUE(trace.finish().empty());
  EXPECT_EQ(trace.account().seen, 0);
}

TEST(IoList, AnOperationIsToldOfWhileItsQueryRuns) {
  const IoPlan plan({"201 pread a.ibd 4096 1 warm; sleep 6000"});
  StubServer server(kShape, {}, {plan.folder()});
  IoTrace trace(
      {"-p", server.pid_text(), "--slower-than", "0ms", "--op", "read", "--file", "a.ibd"});
  server.process().signal(SIGUSR1);
  std::vector<json> told;
  ASSERT_TRUE(wait_until(
      [&] {
        told = lines_of(trace.process().queries(), "a.ibd", "read");
        return !told.empty();
      },
      seconds(20)));
  EXPECT_EQ(server.finished(), 0U) << "told when the query had ended";
  EXPECT_EQ(told.front()["query"], "pread a.ibd 4096 1 warm; sleep 6000");
  EXPECT_EQ(told.front().value("running", false), true) << told.front();
  EXPECT_EQ(trace.finish().size() - 1, told.size()) << "and once";  // and the warming read
}

TEST(IoList, ACommandThatIsSuspendedHasItsOperationsOnBothThreads) {
  const IoPlan plan({"201 pread a.ibd 4096 2 warm; suspend; pread a.ibd 4096 3"});
  StubServer server(kShape, {}, {plan.folder()});
  IoTrace trace({"-p", server.pid_text(), "--slower-than", "0ms"});
  server.run_script();
  const std::vector<json> reads = lines_of(trace.finish(), "a.ibd", "read");
  EXPECT_EQ(reads.size(), 5U);
  for (const json& line : reads) EXPECT_EQ(line["conn"], 201) << line;
}

TEST(IoTable, RowsAreWhatWasDone) {
  const IoPlan plan({"201 pread a.ibd 4096 50 warm; pwrite b.ibd 100 30; fsync b.ibd 0 2",
                     "202 pread a.ibd 4096 7 cold", "203 pread a.ibd 8192 20"});
  StubServer server(kShape, {}, {plan.folder()});
  IoTrace trace({"-p", server.pid_text(), "--by", "query"});
  server.run_script();
  const json total = trace.total();
  // Of queries alone: the stub also makes its files.
  const auto sum = [&](const std::string& operation, const std::string& member) {
    return sum_of(total, member, [&](const json& row) {
      return row.at("operation") == operation && !row.at("query").is_null();
    });
  };
  EXPECT_EQ(sum("read", "count"), 50 + 7 + 20);
  EXPECT_EQ(sum("read", "bytes"), 57 * 4096 + 20 * 8192);
  EXPECT_EQ(sum("write", "count"), 30);
  EXPECT_EQ(sum("write", "bytes"), 3000);
  EXPECT_EQ(sum("fsync", "count"), 2);
  for (const json& row : total["rows"])
    if (!row.at("query").is_null()) {
      EXPECT_NE(row.at("example"), nullptr) << row;
      EXPECT_LE(row.at("p50_ns"), row.at("max_ns")) << row;
    }
  // And the histograms hold all of them.
  int64_t in_buckets = 0;
  for (const json& bucket : total["operations"]["read"]["buckets"])
    in_buckets += bucket.at(2).get<int64_t>();
  EXPECT_EQ(in_buckets, total["operations"]["read"]["count"].get<int64_t>());
}

TEST(IoTable, IntervalsAddUpToTheTotal) {
  const IoPlan plan({"201 pread a.ibd 4096 10 warm; sleep 700; pread a.ibd 4096 20; sleep 700"});
  StubServer server(kShape, {}, {plan.folder()});
  IoTrace trace({"-p", server.pid_text(), "--by", "file", "--interval", "300ms"});
  server.run_script();
  const std::vector<json> lines = trace.finish();
  ASSERT_GE(lines.size(), 4U);
  int64_t in_intervals = 0;
  size_t with_reads = 0;
  for (const json& line : lines) {
    if (line.at("span") == "total") continue;
    in_intervals += line["operations"]["read"]["count"].get<int64_t>();
    with_reads += line["operations"]["read"]["count"] > 0;
  }
  EXPECT_GE(with_reads, 2U);
  EXPECT_LE(in_intervals, lines.back()["operations"]["read"]["count"].get<int64_t>());
  EXPECT_GE(in_intervals, 30);
}

TEST(IoTable, SeveralServersAreSeenWithTheirBackgroundThreads) {
  const IoPlan first({"purge pread a.ibd 4096 3 warm"}), second({"flush pread a.ibd 512 5 warm"});
  StubServer one(kShape, {}, {first.folder()}), two(kShape, {}, {second.folder()});
  IoTrace trace({"-p", one.pid_text(), "-p", two.pid_text(), "--by", "thread"});
  one.run_script();
  two.run_script();
  const json total = trace.total();
  const auto reads = [&](const std::string& thread) {
    return sum_of(total, "count", [&](const json& row) {
      return row.at("thread") == thread && row.at("operation") == "read" &&
             !row.at("in_queries").get<bool>();
    });
  };
  EXPECT_GE(reads("purge"), 3);
  EXPECT_GE(reads("flush"), 5);
}

TEST(IoTable, WhatFindsNoRoomIsCounted) {
  const IoPlan plan({"201 pread a.ibd 16 200000 warm"});
  StubServer server(kShape, {}, {plan.folder()});
  IoTrace trace({"-p", server.pid_text(), "--buffer", "4k", "--interval", "1h"});
  server.run_script();
  const json total = trace.total();
  EXPECT_GT(trace.account().lost, 0);
  EXPECT_GE(trace.account().seen, 200'000);
  EXPECT_EQ(total["lost"].get<int64_t>(), trace.account().lost);
  EXPECT_THAT(trace.process().errors(), HasSubstr("found the buffer full"));
}

TEST(IoUsage, RefusesWhatMakesNoSense) {
  EXPECT_EQ(run_dbtrace({"io", "--slower-than", "1ms", "--by", "file"}).exit_code, 2);
  EXPECT_EQ(run_dbtrace({"io", "--slower-than", "1ms", "--interval", "1s"}).exit_code, 2);
  EXPECT_EQ(run_dbtrace({"io", "--op", "seek"}).exit_code, 2);
  EXPECT_EQ(run_dbtrace({"io", "--file-io", "none"}).exit_code, 2);
}

TEST(IoUsage, ExplainsWithoutAttaching) {
  const IoPlan plan({});
  StubServer server(kShape, {}, {plan.folder()});
  const DbtraceResult result = run_dbtrace({"io", "--explain", "-p", server.pid_text()});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("file I/O"));
}

}  // namespace
}  // namespace dbtrace::testing
