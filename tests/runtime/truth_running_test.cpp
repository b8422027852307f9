// What runs at the moment: `--running` and `--report-running`.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/truth.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

class Running : public Truth {
 protected:
  static std::vector<std::string> command_line(const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {"queries", "-p", std::to_string(server().pid()), "--format",
                                    "json"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }
  // Until the server itself says that the client's command runs.
  static void wait_until_it_runs(const Client& client) {
    Client observer = Truth::client();
    const std::string text =
        "SELECT COUNT(*) FROM information_schema.processlist WHERE info IS NOT NULL AND id = " +
        std::to_string(client.connection_id());
    ASSERT_TRUE(wait_until([&] { return observer.value(text) == "1"; }, seconds(20)));
  }
  // Ends what it runs.
  static void interrupt(Client& client) {
    Truth::client().query("KILL QUERY " + std::to_string(client.connection_id()));
    try {
      static_cast<void>(client.receive());
    } catch (const ClientError&) {
      // MySQL's SLEEP returns 1 then, MariaDB's fails.
    }
  }
  static std::vector<json> lines_of(const std::vector<json>& lines, const Client& client) {
    std::vector<json> own;
    for (const json& line : lines)
      if (line["conn"] == client.connection_id()) own.push_back(line);
    return own;
  }
  static void wait_for_line_of(DbtraceProcess& process, const Client& client) {
    ASSERT_TRUE(
        wait_until([&] { return !lines_of(process.queries(), client).empty(); }, seconds(20)))
        << process.errors();
  }
};

DBTRACE_EACH_FLAVOR(Running);

TEST_P(Running, ShowsWhatBeganBeforeAttachingAndAfter) {
  Client before = client("anna", "shop"), after = client("bert", "depot"), idle = client();
  idle.query("SELECT 'done before'");
  before.send("SELECT SLEEP(60) /* before */");
  wait_until_it_runs(before);

  DbtraceProcess process(command_line({"--running", "--interval", "200ms"}));
  process.wait_until_attached(seconds(60));
  wait_for_line_of(process, before);
  after.send("SELECT SLEEP(61) /* after */");
  wait_for_line_of(process, after);
  std::this_thread::sleep_for(seconds(1));

  const std::vector<json> lines = process.queries();
  const json first = lines_of(lines, before).back(), second = lines_of(lines, after).back();
  EXPECT_EQ(first["query"], "SELECT SLEEP(60) /* before */");
  EXPECT_EQ(first["user"], "anna");
  EXPECT_EQ(first["db"], "shop");
  EXPECT_EQ(first["command"], nullptr);
  EXPECT_EQ(second["query"], "SELECT SLEEP(61) /* after */");
  EXPECT_EQ(second["user"], "bert");
  EXPECT_EQ(second["db"], "depot");
  EXPECT_EQ(second["command"], "Query");
  for (const json& line : {first, second}) {
    EXPECT_EQ(line["running"], true);
    EXPECT_EQ(line["pid"], server().pid());
    ASSERT_TRUE(line["duration_ns"].is_number()) << line;
    EXPECT_GT(line["duration_ns"], uint64_t{500'000'000});
    EXPECT_LT(line["duration_ns"], uint64_t{60'000'000'000});
  }
  EXPECT_GT(first["duration_ns"], second["duration_ns"]);
  EXPECT_TRUE(lines_of(lines, idle).empty());

  // What has ended vanishes.
  const auto gone = [&](const Client& client) {
    const size_t seen = lines_of(process.queries(), client).size();
    std::this_thread::sleep_for(seconds(1));
    return lines_of(process.queries(), client).size() == seen;
  };
  EXPECT_FALSE(gone(before));
  for (Client* each : {&before, &after}) {
    interrupt(*each);
    EXPECT_TRUE(wait_until([&] { return gone(*each); }, seconds(20)));
  }
  EXPECT_EQ(process.stop(), 0);
}

TEST_P(Running, ShowsPreparedStatementsByTheirText) {
  Client client = Truth::client("anna", "shop");
  Statement statement = client.prepare("SELECT SLEEP(?) /* prepared */");
  std::thread sleeper([&] { static_cast<void>(statement.execute({int64_t{4}})); });
  wait_until_it_runs(client);
  DbtraceProcess process(command_line({"--running", "--interval", "200ms"}));
  process.wait_until_attached(seconds(60));
  sleeper.join();
  std::thread again([&] { static_cast<void>(statement.execute({int64_t{2}})); });
  const auto executes = [&] {
    for (const json& line : lines_of(process.queries(), client))
      if (line["command"] == "Execute") return line["query"] == "SELECT SLEEP(?) /* prepared */";
    return false;
  };
  EXPECT_TRUE(wait_until(executes, seconds(20))) << process.output();
  again.join();
  EXPECT_EQ(process.stop(), 0);
}

TEST_P(Running, TakesAsManyLooksAsAskedFor) {
  Client sleeper = client();
  sleeper.send("SELECT SLEEP(60)");
  wait_until_it_runs(sleeper);
  DbtraceProcess process(command_line({"--running", "--limit", "3", "--interval", "100ms"}));
  EXPECT_EQ(process.wait(seconds(60)), 0);
  EXPECT_EQ(lines_of(process.queries(), sleeper).size(), 3u);
  interrupt(sleeper);
}

TEST_P(Running, TextIsATableEachTime) {
  Client longer = client("anna", "shop"), shorter = client("bert", "depot");
  longer.send("SELECT SLEEP(60) /* longer */");
  wait_until_it_runs(longer);
  shorter.send("SELECT SLEEP(60) /* shorter */");
  wait_until_it_runs(shorter);
  const DbtraceResult result =
      run_dbtrace({"queries", "-p", std::to_string(server().pid()), "--running", "--limit", "2",
                   "--match", "longer|shorter"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  for (Client* each : {&longer, &shorter}) {
    interrupt(*each);
  }
  EXPECT_THAT(result.output, ::testing::MatchesRegex(
                                 "([0-9:]+  2 running\n"
                                 "TIME +CONN +USER +DB +TOOK +ROWS +QUERY\n"
                                 "[^\n]+ anna@[^\n]+ shop [^\n]+ SELECT SLEEP.60. /. longer ./\n"
                                 "[^\n]+ bert@[^\n]+ depot [^\n]+ SELECT SLEEP.60. /. shorter ./\n"
                                 "\n)+"));
}

TEST_P(Running, ReportsBeforeTheEndOnceAndThenTheEnd) {
  Client earlier = client("bert", "depot"), client = Truth::client("anna", "shop");
  earlier.send("SELECT SLEEP(60) /* earlier */");
  wait_until_it_runs(earlier);
  DbtraceProcess process(
      command_line({"--report-running", "1s", "--user", "anna", "--user", "bert"}));
  process.wait_until_attached(seconds(60));
  client.query("SELECT 'fast'");
  client.send("SELECT SLEEP(4) /* slow */");
  wait_until_it_runs(client);
  ASSERT_TRUE(
      wait_until([&] { return lines_of(process.queries(), client).size() >= 2; }, seconds(20)));
  // Long before its end.
  EXPECT_EQ(lines_of(process.queries(), client).back()["running"], true);
  static_cast<void>(client.receive());
  ASSERT_TRUE(
      wait_until([&] { return lines_of(process.queries(), client).size() >= 3; }, seconds(20)));
  EXPECT_EQ(process.stop(), 0);

  const std::vector<json> lines = lines_of(process.queries(), client);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_FALSE(lines[0].contains("running"));
  EXPECT_EQ(lines[1]["query"], "SELECT SLEEP(4) /* slow */");
  EXPECT_GE(lines[1]["duration_ns"], uint64_t{1'000'000'000});
  EXPECT_LT(lines[1]["duration_ns"], uint64_t{4'000'000'000});
  EXPECT_FALSE(lines[2].contains("running"));
  EXPECT_EQ(lines[2]["query"], "SELECT SLEEP(4) /* slow */");
  EXPECT_EQ(lines[2]["start"].get<std::string>().substr(0, 22),
            lines[1]["start"].get<std::string>().substr(0, 22));
  EXPECT_GE(lines[2]["duration_ns"], uint64_t{4'000'000'000});
  EXPECT_EQ(lines_of(process.queries(), earlier).size(), 1u);

  const std::string errors = process.errors();
  EXPECT_NE(errors.find("; 2 reported while running\n"), std::string::npos) << errors;
  EXPECT_NE(errors.find(" 2 shown, "), std::string::npos) << errors;
  interrupt(earlier);
}

TEST(RunningInThePool, CommandsAreShownWhicheverThreadRunsThem) {
  if (const auto reason = why_unavailable(Flavor::MariaDb)) GTEST_SKIP() << *reason;
  Server server({.arguments = {"--thread-handling=pool-of-threads", "--thread-pool-size=2"}});
  furnish(server);
  std::vector<Client> clients;
  for (int i = 0; i < 6; ++i)
    clients.emplace_back(Session{.socket = server.socket(), .user = "anna", .database = "shop"});
  DbtraceProcess process({"queries", "-p", std::to_string(server.pid()), "--format", "json",
                          "--running", "--interval", "200ms"});
  process.wait_until_attached(seconds(60));
  for (Client& client : clients) client.send("SELECT SLEEP(5)");
  const auto all_shown = [&] {
    std::set<uint64_t> shown;
    for (const json& line : process.queries()) shown.insert(line["conn"].get<uint64_t>());
    return std::ranges::all_of(
        clients, [&](const Client& client) { return shown.contains(client.connection_id()); });
  };
  EXPECT_TRUE(wait_until(all_shown, seconds(30))) << process.output();
  for (Client& client : clients) static_cast<void>(client.receive());
  EXPECT_EQ(process.stop(), 0);
}

}  // namespace
}  // namespace dbtrace::testing
