// What PostgreSQL says that it waits for: the names, and that they are told of the right waits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <thread>

#include "profiles/postgres/wait_event_names.h"
#include "tests/runtime/command.h"
#include "tests/runtime/postgres_trace.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr int64_t kMs = 1'000'000;

// The PostgreSQL programs of this machine.
std::vector<std::string> all_servers() {
  const char* cache = std::getenv("DBTRACE_TEST_CACHE");
  std::vector<std::string> programs;
  std::error_code ignored;
  for (const char* folder : {cache ? cache : "/var/cache/dbtrace-tests", "/usr/lib/postgresql"})
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
      for (const char* place : {"native/bin/postgres", "bin/postgres"})
        if (exists(entry.path() / place)) programs.push_back(entry.path() / place);
  return programs;
}

// Whether it is what the server says of numbers without a name.
bool is_nameless(const std::string& event) {
  return event == "?" || event == "???" || event == "extension" || event == "unknown wait event" ||
         event.starts_with("<unassigned");
}

TEST(PostgresWaitNames, EveryNameIsTheServersOwn) {
  std::set<std::string> versions;
  for (const std::string& program : all_servers()) {
    const DbtraceResult listed = run_command(
        {"/usr/bin/env", std::string("LD_PRELOAD=") + WAIT_EVENT_LIST, program, "--version"});
    constexpr std::string_view kVersion = "postgres (PostgreSQL) ";
    const size_t at = listed.output.rfind(kVersion);
    ASSERT_NE(at, std::string::npos) << listed.output << listed.errors;
    const std::string version = listed.output.substr(at + kVersion.size());
    if (version.starts_with("13")) continue;  // shows no waits that could be read
    versions.insert(version.substr(0, 2));
    std::istringstream lines(listed.output.substr(0, at));
    size_t named = 0;
    uint32_t number = 0;
    for (std::string type, event;
         lines >> number >> type && std::getline(lines >> std::ws, event);) {
      const profiles::WaitEventName ours = profiles::postgres::wait_event_name(version, number);
      EXPECT_EQ(ours.type, type) << version << number;
      EXPECT_EQ(ours.event, is_nameless(event) ? std::to_string(number & 0xffffff) : event)
          << version << type << number;
      named += !is_nameless(event);
    }
    EXPECT_GT(named, 200U) << version;
  }
  if (versions.empty()) GTEST_SKIP() << "there is no PostgreSQL";
}

class PostgresWaits : public OnPostgres {
 protected:
  // "Lock:relation", as the server shows it at this moment.
  static std::string shown(PgClient& admin, const PgClient& client) {
    return admin.must(
        "select wait_event_type || ':' || wait_event from pg_stat_activity where pid = " +
        std::to_string(client.pid()));
  }
  static void wait_until_shown(const PgClient& client, const std::string& event) {
    PgClient admin(server());
    EXPECT_TRUE(wait_until([&] { return shown(admin, client) == event; }, seconds(20)))
        << shown(admin, client) << " is not " << event;
  }
};

std::string name_of(const json& event) {
  return event.at("type").get<std::string>() + ':' + event.at("event").get<std::string>();
}

// How long a query waited for an event; also that all its events are a part of its blocked time.
int64_t waited_for(const json& line, const std::string& event) {
  int64_t found = 0, events = line.value("other_wait_events_ns", int64_t{0}), blocked = 0;
  for (const json& wait : line.at("wait_events")) {
    events += wait.at("ns").get<int64_t>();
    EXPECT_GT(wait.at("waits"), 0) << line;
    if (name_of(wait) == event) found = wait.at("ns").get<int64_t>();
  }
  for (const auto& [key, ns] : line.at("budget").items())
    if (key.ends_with("_ns") && key != "on_cpu_ns" && key != "runqueue_ns" &&
        key != "unexplained_ns")
      blocked += ns.get<int64_t>();
  EXPECT_LE(events, blocked) << line;
  return found;
}

TEST_P(PostgresWaits, ASleep) {
  PgClient client(server());
  PostgresTrace trace(server(), {"--budget"});
  std::thread asleep([&] { client.query("select pg_sleep(0.3)"); });
  wait_until_shown(client, "Timeout:PgSleep");
  asleep.join();
  const json line = lines_of(trace.finish(2), client.pid()).at(0);
  EXPECT_GE(waited_for(line, "Timeout:PgSleep"), 290 * kMs) << line;
  EXPECT_EQ(line.at("wait_events").size(), 1U) << line;
  EXPECT_LE(waited_for(line, "Timeout:PgSleep"), line.at("budget").at("sleep_ns")) << line;
}

TEST_P(PostgresWaits, HeavyweightLocks) {
  PgClient holder(server()), waiter(server());
  holder.must("drop table if exists waits");
  holder.must("create table waits as select 1 as a");
  const struct {
    const char* take;
    const char* wait;
    const char* event;
  } kinds[] = {
      {"lock table waits", "select count(*) from waits", "Lock:relation"},
      {"update waits set a = 2", "update waits set a = 3", "Lock:transactionid"},
      {"select pg_advisory_xact_lock(8)", "select pg_advisory_xact_lock(8)", "Lock:advisory"}};
  for (const auto& kind : kinds) {
    PostgresTrace trace(server(), {"--budget"});
    holder.must("begin");
    holder.must(kind.take);
    std::thread waiting([&] { waiter.query(kind.wait); });
    wait_until_shown(waiter, kind.event);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    holder.must("commit");
    waiting.join();
    const json line = lines_of(trace.finish(4), waiter.pid()).at(0);
    EXPECT_GE(waited_for(line, kind.event), 90 * kMs) << line;
  }
}

TEST_P(PostgresWaits, TheClient) {
  PgClient reader(server()), writer(server());
  writer.must("create temp table copied(a int)");
  PostgresTrace trace(server(), {"--budget"});
  PQsendQuery(reader.raw(), "select repeat('x', 1000) from generate_series(1, 20000)");
  wait_until_shown(reader, "Client:ClientWrite");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  while (PgResult(PQgetResult(reader.raw()))) {
  }
  ASSERT_EQ(PQresultStatus(writer.query("copy copied from stdin").get()), PGRES_COPY_IN);
  wait_until_shown(writer, "Client:ClientRead");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  PQputCopyEnd(writer.raw(), nullptr);
  while (PgResult(PQgetResult(writer.raw()))) {
  }
  const auto lines = trace.finish(2);
  const json read = lines_of(lines, reader.pid()).at(0),
             written = lines_of(lines, writer.pid()).at(0);
  EXPECT_GE(waited_for(read, "Client:ClientWrite"), 90 * kMs) << read;
  EXPECT_GE(waited_for(written, "Client:ClientRead"), 90 * kMs) << written;
}

TEST_P(PostgresWaits, TheCheckpointerIsNamedAsTheBlocker) {
  PgClient client(server());
  client.must("drop table if exists dirty");
  client.must("create table dirty as select i from generate_series(1, 100000) i");
  PostgresTrace trace(server(), {"--budget"});
  client.must("checkpoint");
  const json line = trace.finish(1).at(0);
  const int64_t waited =
      waited_for(line, "IPC:CheckpointDone") + waited_for(line, "IPC:CheckpointStart");
  EXPECT_GT(waited, 0) << line;
  EXPECT_GE(line.at("budget").at("lock_ns"), waited) << line;
  EXPECT_THAT(line.at("blocker").value("process", ""), ::testing::EndsWith(": checkpointer"))
      << line;
  EXPECT_EQ(line.at("blocker").at("query"), nullptr) << line;
}

// A session that holds a lock and goes away has no command when its locks are released.
TEST_P(PostgresWaits, AnIdleTransactionIsNamedAsTheBlocker) {
  auto holder = std::make_unique<PgClient>(server());
  PgClient waiter(server());
  waiter.must("create table if not exists waits(a int)");
  PostgresTrace trace(server(), {"--budget"});
  const pid_t pid = holder->pid();
  holder->must("begin");
  holder->must("lock table waits /* and idle */");
  // No query that has workers: its longest wait could be for them.
  std::thread waiting([&] { waiter.query("insert into waits values (4)"); });
  wait_until_shown(waiter, "Lock:relation");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  holder.reset();
  waiting.join();
  const json line = lines_of(trace.finish(3), waiter.pid()).at(0);
  EXPECT_EQ(line.at("blocker").at("conn"), pid) << line;
  EXPECT_EQ(line.at("blocker").value("idle_in_transaction", false), true) << line;
  EXPECT_EQ(line.at("blocker").at("query"), "lock table waits /* and idle */") << line;
}

TEST_P(PostgresWaits, WhatRunsSaysWhatItWaitsFor) {
  PgClient before(server()), later(server()), admin(server());
  admin.must("select pg_advisory_lock(9)");
  PQsendQuery(before.raw(), "select pg_advisory_lock(9)");
  wait_until_shown(before, "Lock:advisory");
  DbtraceProcess process({"queries", "-p", std::to_string(server().pid()), "--running",
                          "--interval", "200ms", "--format", "json"});
  process.wait_until_attached();
  PQsendQuery(later.raw(), "select pg_sleep(60)");
  const auto shows = [&](const PgClient& client, const std::string& event) {
    const auto lines = lines_of(process.queries(), client.pid());
    return !lines.empty() && lines.back().contains("wait_event") &&
           name_of(lines.back().at("wait_event")) == event;
  };
  EXPECT_TRUE(wait_until([&] { return shows(before, "Lock:advisory"); }, seconds(20)))
      << process.output() << process.errors();
  EXPECT_TRUE(wait_until([&] { return shows(later, "Timeout:PgSleep"); }, seconds(20)))
      << process.output() << process.errors();
  EXPECT_EQ(process.stop(), 0);
  admin.must("select pg_advisory_unlock(9)");
  admin.must("select pg_cancel_backend(" + std::to_string(later.pid()) + ")");
}

TEST_P(PostgresWaits, AllQueriesTogether) {
  PgClient client(server());
  DbtraceProcess process(
      {"waits", "-p", std::to_string(server().pid()), "--interval", "300ms", "--format", "json"});
  process.wait_until_attached();
  client.must("select pg_sleep(1.5)");
  EXPECT_EQ(process.stop(), 0) << process.errors();
  int64_t in_intervals = 0, in_total = 0, now = 0;
  for (const json& line : process.queries())
    for (const json& wait : line.value("wait_events", json::array())) {
      if (name_of(wait) != "Timeout:PgSleep") continue;
      const auto ns = wait.at("ns").get<int64_t>();
      (line.at("span") == "total" ? in_total : in_intervals) += ns;
      now += wait.value("now", 0);
      if (line.at("span") == "total") {
        EXPECT_GE(wait.at("waits"), 1);
      }
    }
  EXPECT_GE(in_total, 1490 * kMs) << process.output();
  EXPECT_LE(in_intervals, in_total);
  EXPECT_GE(in_intervals, 900 * kMs) << process.output();
  EXPECT_GE(now, 1) << process.output();
}

// Who syncs the log for others holds a lightweight lock, and with commit_delay for that long.
class PostgresWalWaits : public OnPostgres {};

TEST_P(PostgresWalWaits, LightweightLocksAndTheirHolders) {
  const Postgres server(GetParam(), "fsync = on\ncommit_delay = 100000\ncommit_siblings = 0\n");
  PgClient one(server), two(server);
  one.must("create table logged(a int)");
  PostgresTrace trace(server, {"--budget"});
  constexpr size_t kRounds = 10;
  for (size_t i = 0; i < kRounds; ++i) {
    std::thread other([&] { two.query("insert into logged values (2)"); });
    one.must("insert into logged values (1)");
    other.join();
  }
  size_t blocked = 0;
  for (const json& line : trace.finish(2 * kRounds)) {
    if (waited_for(line, "LWLock:WALWrite") < 20 * kMs) continue;
    ++blocked;
    EXPECT_GE(line.at("budget").at("lock_ns"), 20 * kMs) << line;
    const pid_t holder = line.at("pid") == one.pid() ? two.pid() : one.pid();
    EXPECT_EQ(line.at("blocker").at("conn"), holder) << line;
    EXPECT_THAT(line.at("blocker").at("query").get<std::string>(),
                ::testing::StartsWith("insert into logged"))
        << line;
  }
  EXPECT_GT(blocked, 0U);
}

TEST_P(PostgresWalWaits, SyncsOfTheLog) {
  const Postgres server(GetParam(), "fsync = on\nwal_sync_method = fsync\n");
  PgClient client(server);
  client.must("create table logged(a int)");
  PostgresTrace trace(server, {"--budget"});
  constexpr size_t kTimes = 20;
  for (size_t i = 0; i < kTimes; ++i) client.must("insert into logged values (1)");
  int64_t fsync = 0, named = 0;
  const std::string event = GetParam() == PostgresBuild::Version18 ? "IO:WalSync" : "IO:WALSync";
  for (const json& line : trace.finish(kTimes)) {
    fsync += line.at("budget").at("fsync_ns").get<int64_t>();
    named += waited_for(line, event);
  }
  if (fsync == 0) GTEST_SKIP() << "this machine's syncs do not wait for a device";
  EXPECT_GE(named, fsync * 9 / 10);
  EXPECT_LE(named, fsync * 11 / 10);
}

DBTRACE_EACH_POSTGRES(PostgresWaits);
DBTRACE_EACH_POSTGRES(PostgresWalWaits);

}  // namespace
}  // namespace dbtrace::testing
