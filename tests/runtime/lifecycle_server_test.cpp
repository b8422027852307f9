// The same life on real servers: under load, killed, replaced, restarted, two at
// once, and by either way of attaching.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/runtime/account.h"
#include "tests/runtime/client.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/probe_traces.h"
#include "tests/runtime/servers.h"

namespace dbtrace::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <Flavor flavor>
void copy_program(const fs::path& folder) {
  fs::copy_file(server_program(flavor), folder / "server");
}

// A server whose file is its own: probes go into a file, so the servers of others
// who trace at the same time would be seen here.
ServerOptions with_own_file(Flavor flavor) {
  return {.flavor = flavor,
          .program = "server",
          .prepare = flavor == Flavor::MySql ? &copy_program<Flavor::MySql>
                                             : &copy_program<Flavor::MariaDb>};
}

// Shared by the tests here; ended with the last of them.
std::array<std::unique_ptr<Server>, 2> servers;
Server& own_server(Flavor flavor) {
  std::unique_ptr<Server>& server = servers.at(static_cast<size_t>(flavor));
  if (!server) server = std::make_unique<Server>(with_own_file(flavor));
  return *server;
}

// Where the server is busy on all CPUs, the kernel takes its time with probes.
constexpr seconds kLoaded(180);

std::string pid_of(const Server& server) { return std::to_string(server.pid()); }

// The texts that contain `mark`, in order.
std::vector<std::string> texts(const std::vector<json>& queries, const std::string& mark) {
  std::vector<std::string> result;
  for (const json& query : queries)
    if (query["query"].is_string() &&
        query["query"].get<std::string>().find(mark) != std::string::npos)
      result.push_back(query["query"]);
  return result;
}

// Clients that keep a server busy for as long as it lives, with breaths between
// their queries: a machine that they saturated would starve the test itself.
class Load {
 public:
  explicit Load(const Server& server) {
    for (int i = 0; i < 3; ++i)
      clients_.emplace_back([this, socket = server.socket()] {
        try {
          Client client({.socket = socket});
          while (!stop_) {
            client.query("SELECT 'load'");
            ++done_;
            std::this_thread::sleep_for(std::chrono::microseconds(300));
          }
        } catch (const ClientError&) {
          ++failed_;
        }
      });
  }
  ~Load() { stop(); }
  void stop() {
    stop_ = true;
    for (std::thread& client : clients_)
      if (client.joinable()) client.join();
  }
  // Waits until this many more were answered.
  [[nodiscard]] bool goes_on() const {
    const size_t now = done_;
    return wait_until([&] { return done_ > now + 100; }, kLoaded);
  }
  [[nodiscard]] size_t failed() const { return failed_; }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<size_t> done_ = 0, failed_ = 0;
  std::vector<std::thread> clients_;
};

class RealLife : public ::testing::TestWithParam<std::tuple<Flavor, std::string>> {
 protected:
  void SetUp() override {
    if (const auto reason = why_unavailable(flavor())) GTEST_SKIP() << *reason;
  }
  static Flavor flavor() { return std::get<0>(GetParam()); }
  static void TearDownTestSuite() { servers = {}; }
  static std::vector<std::string> trace(const Server& server) {
    return {
        "queries", "--format", "json", "-p", pid_of(server), "--attach", std::get<1>(GetParam())};
  }
};
INSTANTIATE_TEST_SUITE_P(Each, RealLife,
                         ::testing::Combine(::testing::Values(Flavor::MariaDb, Flavor::MySql),
                                            ::testing::Values("multi", "perf")),
                         [](const auto& each) {
                           return std::string(flavor_name(std::get<0>(each.param))) + "_" +
                                  std::get<1>(each.param);
                         });

// What both ways of attaching show, and that no trace of either remains.
TEST_P(RealLife, ShowsWhatIsDoneAndLeavesNothing) {
  Server& server = own_server(flavor());
  const ProbeSites sites(server.pid());
  EXPECT_TRUE(sites.all_clean());
  Client client({.socket = server.socket()});
  Statement before = client.prepare("SELECT 'mark', ?");
  DbtraceProcess dbtrace(trace(server));
  dbtrace.wait_until_attached();
  EXPECT_TRUE(sites.all_probed());
  const BpfObjects objects(dbtrace.process().pid());
  client.query("SELECT 'mark', 1");
  EXPECT_EQ(client.error_of("SELECT mark FROM nowhere.at_all"),
            flavor() == Flavor::MySql ? 1049U : 1146U);
  before.execute({int64_t{2}});
  EXPECT_TRUE(dbtrace.wait_for_lines(3));
  EXPECT_EQ(dbtrace.stop(), 0);
  EXPECT_TRUE(sites.all_clean());
  EXPECT_TRUE(wait_until([&] { return objects.all_gone(); }, kLoaded));

  const std::vector<json> queries = dbtrace.queries();
  EXPECT_THAT(
      texts(queries, "mark"),
      ElementsAre("SELECT 'mark', 1", "SELECT mark FROM nowhere.at_all", "SELECT 'mark', ?"));
  for (const json& query : queries) {
    EXPECT_EQ(query["conn"], client.connection_id());
    EXPECT_EQ(query["pid"], server.pid());
    EXPECT_EQ(query["flavor"], flavor_name(flavor()));
  }
}

TEST_P(RealLife, SurvivesSigkillUnderLoad) {
  Server& server = own_server(flavor());
  const ProbeSites sites(server.pid());
  Load load(server);
  for (int round = 0; round < 3; ++round) {
    DbtraceProcess dbtrace(trace(server));
    dbtrace.wait_until_attached(kLoaded);
    const BpfObjects objects(dbtrace.process().pid());
    EXPECT_TRUE(load.goes_on());
    dbtrace.process().signal(SIGKILL);
    EXPECT_EQ(dbtrace.wait(kLoaded), 128 + SIGKILL);
    EXPECT_TRUE(wait_until([&] { return sites.all_clean() && objects.all_gone(); }, kLoaded));
    EXPECT_TRUE(load.goes_on());
  }
  DbtraceProcess dbtrace(trace(server));
  dbtrace.wait_until_attached(kLoaded);
  EXPECT_TRUE(dbtrace.wait_for_lines(100));
  dbtrace.process().signal(SIGINT);
  EXPECT_EQ(dbtrace.wait(kLoaded), 0);
  EXPECT_EQ(Account::of(dbtrace.errors()).lost, 0U) << dbtrace.errors();
  load.stop();
  EXPECT_EQ(load.failed(), 0U);
  EXPECT_TRUE(sites.all_clean());
}

struct Death {
  std::string name;
  void (Server::*die)();
};
class DyingServer : public ::testing::TestWithParam<Death> {};
INSTANTIATE_TEST_SUITE_P(By, DyingServer,
                         ::testing::Values(Death{"Shutdown", &Server::stop},
                                           Death{"Kill", &Server::kill}),
                         [](const auto& each) { return each.param.name; });

TEST_P(DyingServer, EndsTheRunInOrder) {
  if (const auto reason = why_unavailable(Flavor::MariaDb)) GTEST_SKIP() << *reason;
  Server server(with_own_file(Flavor::MariaDb));
  DbtraceProcess dbtrace({"queries", "--format", "json", "-p", pid_of(server)});
  dbtrace.wait_until_attached();
  const BpfObjects objects(dbtrace.process().pid());
  const std::string pid = pid_of(server);
  Load load(server);
  EXPECT_TRUE(load.goes_on());
  (server.*GetParam().die)();
  EXPECT_EQ(dbtrace.wait(kLoaded), 0);
  EXPECT_THAT(dbtrace.errors(), HasSubstr("server " + pid + " has ended\n"));
  const Account account = Account::of(dbtrace.errors());
  EXPECT_EQ(account.shown, dbtrace.queries().size());
  EXPECT_EQ(account.shown + account.hidden + account.lost, account.seen);
  EXPECT_TRUE(wait_until([&] { return objects.all_gone(); }, kLoaded));
}

TEST(RealServers, TwoAtOnce) {
  for (const Flavor flavor : {Flavor::MariaDb, Flavor::MySql})
    if (const auto reason = why_unavailable(flavor)) GTEST_SKIP() << *reason;
  Server& maria = own_server(Flavor::MariaDb);
  Server& mysql = own_server(Flavor::MySql);
  DbtraceProcess dbtrace({"queries", "--format", "json", "-p", pid_of(maria), "-p", pid_of(mysql)});
  dbtrace.wait_until_attached();
  Client one({.socket = maria.socket()}), two({.socket = mysql.socket()});
  for (int i = 0; i < 3; ++i) {
    one.query("SELECT 'mark of mariadb'");
    two.query("SELECT 'mark of mysql'");
  }
  EXPECT_EQ(dbtrace.stop(), 0);
  size_t marked = 0;
  for (const json& query : dbtrace.queries()) {
    const std::string flavor = query["flavor"];
    EXPECT_EQ(query["pid"], flavor == "mysql" ? mysql.pid() : maria.pid());
    if (query["query"] == "SELECT 'mark of " + flavor + "'") {
      ++marked;
      EXPECT_EQ(query["conn"], (flavor == "mysql" ? two : one).connection_id());
    }
  }
  EXPECT_EQ(marked, 6U);
}

// The same data, another process, of a file that was replaced meanwhile.
TEST(RealServers, OneThatIsUpgradedUnderLoad) {
  if (const auto reason = why_unavailable(Flavor::MariaDb)) GTEST_SKIP() << *reason;
  Server server(with_own_file(Flavor::MariaDb));
  const pid_t first = server.pid();
  DbtraceProcess dbtrace({"queries", "--format", "json", "--follow", "-p", pid_of(server)});
  dbtrace.wait_until_attached(kLoaded);
  Client({.socket = server.socket()}).query("SELECT 'mark before'");
  {
    Load load(server);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    server.stop();
  }
  fs::remove(server.folder() / "server");
  copy_program<Flavor::MariaDb>(server.folder());
  server.start();
  const std::string attached = "attached to MariaDB";
  EXPECT_TRUE(wait_until(
      [&] {
        const std::string errors = dbtrace.errors();
        return errors.find(attached) != errors.rfind(attached);
      },
      kLoaded));
  Client({.socket = server.socket()}).query("SELECT 'mark after'");
  EXPECT_EQ(dbtrace.stop(), 0);

  const std::vector<json> queries = dbtrace.queries();
  EXPECT_THAT(texts(queries, "mark"), ElementsAre("SELECT 'mark before'", "SELECT 'mark after'"));
  for (const json& query : queries) {
    const bool of_second = query["query"] == "SELECT 'mark after'";
    if (of_second || query["query"] == "SELECT 'load'") {
      EXPECT_EQ(query["pid"], of_second ? server.pid() : first);
    }
  }
  const Account account = Account::of(dbtrace.errors());
  EXPECT_EQ(account.shown, queries.size());
  EXPECT_EQ(account.shown + account.hidden + account.lost, account.seen);
}

TEST(RealServers, OneWhoseFileWasReplaced) {
  if (const auto reason = why_unavailable(Flavor::MariaDb)) GTEST_SKIP() << *reason;
  Server server(with_own_file(Flavor::MariaDb));
  fs::remove(server.folder() / "server");
  fs::copy_file("/bin/true", server.folder() / "server");
  DbtraceProcess dbtrace({"queries", "--format", "json", "-p", pid_of(server)});
  dbtrace.wait_until_attached();
  EXPECT_THAT(dbtrace.errors(), HasSubstr("replaced on disk"));
  Client({.socket = server.socket()}).query("SELECT 'mark'");
  EXPECT_EQ(dbtrace.stop(), 0);
  EXPECT_THAT(texts(dbtrace.queries(), "mark"), ElementsAre("SELECT 'mark'"));
}

TEST(RealServers, OneThatStartsAfterDbtraceAndAgain) {
  if (const auto reason = why_unavailable(Flavor::MariaDb)) GTEST_SKIP() << *reason;
  TemporaryFolder folder;
  const std::string program = folder.path() / "mariadbd";
  fs::copy_file(server_program(Flavor::MariaDb), program);
  DbtraceProcess dbtrace({"queries", "--format", "json", "--exe", program, "--match", "mark"});
  dbtrace.wait_until_attached();
  std::vector<pid_t> pids;
  for (const char* text : {"SELECT 'mark 1'", "SELECT 'mark 2'"}) {
    Server server({.program = program});
    pids.push_back(server.pid());
    Client({.socket = server.socket()}).query(text);
    server.stop();
  }
  EXPECT_EQ(dbtrace.stop(), 0);
  const std::vector<json> queries = dbtrace.queries();
  EXPECT_THAT(texts(queries, "mark"), ElementsAre("SELECT 'mark 1'", "SELECT 'mark 2'"));
  for (size_t i = 0; i < queries.size(); ++i) EXPECT_EQ(queries[i]["pid"], pids.at(i));
}

}  // namespace
}  // namespace dbtrace::testing
