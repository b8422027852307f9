// Checks what the other runtime tests stand on, without dbtrace: a failure here
// is the test bench's, not the tracer's.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <string>

#include "tests/runtime/child_process.h"
#include "tests/runtime/client.h"
#include "tests/runtime/servers.h"

namespace dbtrace::testing {
namespace {

using std::chrono::seconds;

class RealServer : public ::testing::TestWithParam<Flavor> {
 protected:
  void SetUp() override {
    if (const auto reason = why_unavailable(GetParam())) GTEST_SKIP() << *reason;
  }
  static Session root() { return {.socket = shared_server(GetParam()).socket()}; }
};

INSTANTIATE_TEST_SUITE_P(Each, RealServer, ::testing::Values(Flavor::MariaDb, Flavor::MySql),
                         [](const auto& each) { return std::string(flavor_name(each.param)); });

TEST_P(RealServer, GivesEverySessionItsConnectionId) {
  Client first(root());
  Client second(root());
  EXPECT_EQ(first.value("SELECT CONNECTION_ID()"), std::to_string(first.connection_id()));
  EXPECT_EQ(second.value("SELECT CONNECTION_ID()"), std::to_string(second.connection_id()));
  EXPECT_NE(first.connection_id(), second.connection_id());
}

TEST_P(RealServer, IsTheFlavourAskedFor) {
  const std::string version = Client(root()).value("SELECT VERSION()");
  EXPECT_EQ(version.find("MariaDB") != std::string::npos, GetParam() == Flavor::MariaDb) << version;
  const std::string program = std::filesystem::read_symlink(
      "/proc/" + std::to_string(shared_server(GetParam()).pid()) + "/exe");
  EXPECT_EQ(program, server_program(GetParam()));
}

TEST_P(RealServer, ReturnsRowsAndNulls) {
  const Rows expected = {{"1", std::nullopt}, {"2", std::string("a\0b", 3)}};
  EXPECT_EQ(Client(root()).query("SELECT 1, NULL UNION ALL SELECT 2, 'a\\0b'"), expected);
}

TEST_P(RealServer, CarriesOutAllStatementsOfOneText) {
  Client client(root());
  EXPECT_EQ(client.value("SET @a = 5; SELECT @a; SELECT 7"), "5");
  EXPECT_EQ(client.error_of("SELECT 1; SELECT no_such_column"), 1054u);
  EXPECT_EQ(client.value("SELECT 3"), "3");
}

TEST_P(RealServer, TellsErrorNumbers) {
  Client client(root());
  EXPECT_EQ(client.error_of("SELECT 1"), 0u);
  EXPECT_EQ(client.error_of("SELEC"), 1064u);
  EXPECT_THROW(client.select_database("no_such_database"), ClientError);
  EXPECT_THROW(Client({.socket = "/nowhere"}), ClientError);
}

TEST_P(RealServer, ExecutesPreparedStatements) {
  Client client(root());
  Statement statement = client.prepare("SELECT ? + 1, CONCAT(?, '!'), ?, ?");
  const Rows expected = {{"42", "grüß!", std::nullopt, "1.5"}};
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(statement.execute({int64_t{41}, "grüß", std::monostate{}, 1.5}), expected);
  EXPECT_THROW(statement.execute({}), ClientError);
  EXPECT_THROW(client.prepare("SELEC"), ClientError);
}

TEST_P(RealServer, TakesLongDataInPieces) {
  Client client(root());
  Statement statement = client.prepare("SELECT LENGTH(?)");
  statement.send_long_data(0, std::string(100'000, 'x'));
  statement.send_long_data(0, "yz");
  EXPECT_EQ(statement.execute({std::string()}), (Rows{{"100002"}}));
  statement.reset();
}

TEST_P(RealServer, ChangesUserAndDatabase) {
  Client client(root());
  client.query(
      "CREATE DATABASE IF NOT EXISTS support; CREATE USER IF NOT EXISTS anna@localhost;"
      "GRANT ALL ON support.* TO anna@localhost;"
      "CREATE TABLE IF NOT EXISTS support.t (a INT, b INT)");
  client.select_database("support");
  EXPECT_EQ(client.value("SELECT DATABASE()"), "support");
  EXPECT_EQ(client.list_fields("t"), (std::vector<std::string>{"a", "b"}));
  client.change_user("anna", "");
  EXPECT_EQ(client.value("SELECT CURRENT_USER()"), "anna@localhost");
  client.reset_connection();
  client.ping();
  Client other(
      {.socket = shared_server(GetParam()).socket(), .user = "anna", .database = "support"});
  EXPECT_EQ(other.value("SELECT CONCAT(CURRENT_USER(), ' ', DATABASE())"),
            "anna@localhost support");
}

TEST_P(RealServer, WorksBetweenSendAndReceive) {
  Client busy(root());
  Client watcher(root());
  busy.send("SELECT SLEEP(1), 'in flight'");
  const std::string running = "SELECT COUNT(*) FROM information_schema.processlist WHERE id = " +
                              std::to_string(busy.connection_id()) + " AND info LIKE '%in flight%'";
  EXPECT_TRUE(wait_until([&] { return watcher.value(running) == "1"; }, seconds(10)));
  EXPECT_EQ(busy.receive(), (Rows{{"0", "in flight"}}));
}

TEST(MariaDbOnly, ExecutesInBulk) {
  if (const auto reason = why_unavailable(Flavor::MariaDb)) GTEST_SKIP() << *reason;
  Client client({.socket = shared_server(Flavor::MariaDb).socket()});
  client.query(
      "CREATE DATABASE IF NOT EXISTS support; USE support;"
      "CREATE OR REPLACE TABLE bulk (a INT)");
  client.prepare("INSERT INTO bulk VALUES (?)").execute_bulk({1, 2, 3});
  EXPECT_EQ(client.value("SELECT GROUP_CONCAT(a ORDER BY a) FROM bulk"), "1,2,3");
}

TEST(OwnServer, TakesArgumentsAndLeavesNothing) {
  if (const auto reason = why_unavailable(Flavor::MariaDb)) GTEST_SKIP() << *reason;
  std::filesystem::path folder;
  {
    Server server({.arguments = {"--max-connections=77"}});
    folder = server.folder();
    EXPECT_EQ(Client({.socket = server.socket()}).value("SELECT @@max_connections"), "77");
    server.stop();
    EXPECT_NE(::kill(server.pid(), 0), 0);
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(OwnServer, RunsACopyOfTheProgram) {
  if (const auto reason = why_unavailable(Flavor::MariaDb)) GTEST_SKIP() << *reason;
  Server server({.program = "copy-of-server", .prepare = [](const std::filesystem::path& folder) {
                   std::filesystem::copy_file(server_program(Flavor::MariaDb),
                                              folder / "copy-of-server");
                 }});
  EXPECT_EQ(std::filesystem::read_symlink("/proc/" + std::to_string(server.pid()) + "/exe"),
            server.folder() / "copy-of-server");
  server.kill();
  EXPECT_NE(::kill(server.pid(), 0), 0);
}

TEST(OwnServer, SaysWhyItDidNotStart) {
  if (const auto reason = why_unavailable(Flavor::MariaDb)) GTEST_SKIP() << *reason;
  try {
    Server server({.arguments = {"--no-such-option"}});
    FAIL() << "it started";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("no-such-option"), std::string::npos) << error.what();
  }
}

TEST(ChildProcess, TellsHowItEnded) {
  EXPECT_EQ(ChildProcess({.arguments = {"/bin/true"}}).wait(seconds(5)), 0);
  EXPECT_EQ(ChildProcess({.arguments = {"/bin/false"}}).wait(seconds(5)), 1);
  EXPECT_EQ(ChildProcess({.arguments = {"/no/such/program"}}).wait(seconds(5)), 127);
  ChildProcess sleeper({.arguments = {"/bin/sleep", "60"}});
  EXPECT_TRUE(sleeper.running());
  EXPECT_EQ(sleeper.wait(std::chrono::milliseconds(0)), std::nullopt);
  sleeper.signal(SIGTERM);
  EXPECT_EQ(sleeper.wait(seconds(5)), 128 + SIGTERM);
  EXPECT_FALSE(sleeper.running());
}

}  // namespace
}  // namespace dbtrace::testing
