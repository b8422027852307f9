// What `dbtrace record` keeps of all queries' time is what `dbtrace waits` tells of the same
// commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/runtime/client.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/postgres.h"
#include "tests/runtime/recording.h"
#include "tests/runtime/servers.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::vector<json> replayed(const std::string& file, const std::string& interval = "1s") {
  const DbtraceResult result =
      run_dbtrace({"waits", "--from", file, "--format", "json", "--interval", interval});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  return parse_lines(result.output);
}

// Both look at the same commands, each with probes of its own, one after the other: times differ by
// what lies between the two, and what is counted does not.
void expect_same(const json& recorded, const json& live) {
  EXPECT_EQ(recorded.at("span"), "total");
  EXPECT_EQ(recorded.at("queries"), live.at("queries"));
  for (const char* cause : {"sleep", "row_lock", "lock"}) {
    const json& one = recorded.at("causes").at(cause);
    const json& other = live.at("causes").at(cause);
    EXPECT_EQ(one.at("waits"), other.at("waits")) << cause;
    EXPECT_NEAR(one.at("ns").get<double>(), other.at("ns").get<double>(), 2e8) << cause;
  }
}

class RecordedWaits : public ::testing::Test {
 protected:
  // Records and shows live what `work` does.
  void watch(pid_t server, const std::function<void()>& work) {
    const std::string pid = std::to_string(server);
    DbtraceProcess record({"record", "-o", file_, "-p", pid});
    record.wait_until_attached();
    DbtraceProcess waits({"waits", "--format", "json", "--interval", "1s", "-p", pid});
    waits.wait_until_attached();
    work();
    ASSERT_EQ(waits.stop(), 0) << waits.errors();
    ASSERT_EQ(record.stop(), 0) << record.errors();
    live_ = parse_lines(waits.output()).back();
  }

  TemporaryFolder folder_;
  std::string file_ = folder_.path() / "recording";
  json live_;
};

TEST_F(RecordedWaits, AreThoseOfTheSameRun) {
  Server& server = shared_server(Flavor::MariaDb);
  watch(server.pid(), [&] {
    Client client({.socket = server.socket()});
    for (int i = 0; i < 300; ++i) client.query("select " + std::to_string(i));
    for (int i = 0; i < 4; ++i) client.query("select sleep(0.3)");
    client.ping();
  });
  const std::vector<json> lines = replayed(file_);
  ASSERT_GE(lines.size(), 2U);
  const json& total = lines.back();
  expect_same(total, live_);
  EXPECT_GE(total.at("queries"), 304);
  EXPECT_GT(total.at("causes").at("sleep").at("ns").get<double>() +
                total.at("causes").at("lock").at("ns").get<double>(),
            1.1e9);
  // Intervals are parts of it, whatever their length.
  for (const char* interval : {"100ms", "1s"}) {
    uint64_t ns = 0, length_ns = 0;
    for (const json& line : replayed(file_, interval)) {
      if (line.at("span") == "total") break;
      ns += line.at("total_ns").get<uint64_t>();
      length_ns += line.at("length_ns").get<uint64_t>();
    }
    EXPECT_LE(ns, total.at("total_ns").get<uint64_t>());
    EXPECT_LE(length_ns, total.at("length_ns").get<uint64_t>());
    EXPECT_GT(length_ns, 0U);
  }
}

// Filters choose what is recorded of single queries; the sums are of all.
TEST_F(RecordedWaits, HaveWhatFiltersLeaveOut) {
  Server& server = shared_server(Flavor::MariaDb);
  DbtraceProcess record({"record", "-o", file_, "-p", std::to_string(server.pid()), "--slower-than",
                         "1h", "--user", "nobody"});
  record.wait_until_attached();
  Client client({.socket = server.socket()});
  for (int i = 0; i < 50; ++i) client.query("select 1");
  client.ping();
  ASSERT_EQ(record.stop(), 0) << record.errors();
  EXPECT_EQ(asked(file_, "select count(*) from queries"), "0\n");
  EXPECT_GE(replayed(file_).back().at("queries"), 50);
}

TEST_F(RecordedWaits, AreNotThereWithoutBudgets) {
  Server& server = shared_server(Flavor::MariaDb);
  DbtraceProcess record({"record", "-o", file_, "-p", std::to_string(server.pid()), "--no-budget"});
  record.wait_until_attached();
  ASSERT_EQ(record.stop(), 0) << record.errors();
  const DbtraceResult result = run_dbtrace({"waits", "--from", file_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("was recorded without the sums of all queries' time"));
  EXPECT_EQ(run_dbtrace({"waits", "--from", file_, "-p", "1"}).exit_code, 2);
}

// What is killed has all but the last second.
TEST_F(RecordedWaits, OfOneThatWasKilledAreThere) {
  Server& server = shared_server(Flavor::MariaDb);
  DbtraceProcess record({"record", "-o", file_, "-p", std::to_string(server.pid())});
  record.wait_until_attached();
  Client client({.socket = server.socket()});
  for (int i = 0; i < 100; ++i) client.query("select 1");
  ASSERT_TRUE(wait_until(
      [&] { return asked(file_, "select coalesce(sum(queries), 0) >= 100 from second") == "1\n"; },
      std::chrono::seconds(60)));
  record.kill();
  EXPECT_GE(replayed(file_).back().at("queries"), 100);
}

class RecordedWaitsOfPostgres : public RecordedWaits,
                                public ::testing::WithParamInterface<PostgresBuild> {};

// Where the server has processes that run no queries, and says what it waits for.
TEST_P(RecordedWaitsOfPostgres, AreThoseOfTheSameRun) {
  if (const auto why = why_unavailable(GetParam())) GTEST_SKIP() << *why;
  Postgres& server = shared_postgres(GetParam());
  watch(server.pid(), [&] {
    PgClient client(server);
    for (int i = 0; i < 200; ++i) client.must("select " + std::to_string(i));
    for (int i = 0; i < 3; ++i) client.must("select pg_sleep(0.3)");
  });
  const json total = replayed(file_).back();
  expect_same(total, live_);
  const auto sleeps = [](const json& line) {
    for (const json& event : line.at("wait_events"))
      if (event.at("event") == "PgSleep") return event;
    return json();
  };
  ASSERT_FALSE(sleeps(live_).is_null()) << live_;
  ASSERT_FALSE(sleeps(total).is_null()) << total;
  EXPECT_EQ(sleeps(total).at("waits"), sleeps(live_).at("waits"));
  EXPECT_GE(sleeps(total).at("ns"), 850'000'000);
}

INSTANTIATE_TEST_SUITE_P(Each, RecordedWaitsOfPostgres,
                         ::testing::Values(PostgresBuild::Installed, PostgresBuild::Version18),
                         [](const auto& build) { return build_name(build.param); });

}  // namespace
}  // namespace dbtrace::testing
