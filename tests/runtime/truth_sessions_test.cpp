// Commands that carry no statement, and what is known of a session that began
// before dbtrace did.
#include <string>
#include <vector>

#include "tests/runtime/truth.h"

namespace dbtrace::testing {
namespace {

std::vector<std::string> commands_of(const std::vector<Told>& told) {
  std::vector<std::string> names;
  for (const Told& command : told) names.push_back(command.command);
  return names;
}

class Sessions : public Truth {};
DBTRACE_EACH_FLAVOR(Sessions);

// One session that does everything there is; its commands by name.
void do_everything(Client& client) {
  client.ping();
  EXPECT_NE(::mysql_stat(client.handle()), nullptr);
  EXPECT_EQ(::mysql_set_server_option(client.handle(), MYSQL_OPTION_MULTI_STATEMENTS_OFF), 0);
  client.select_database("shop");
  EXPECT_EQ(client.list_fields("numbers"), (std::vector<std::string>{"id", "square"}));
  client.query("SELECT 1");
  client.reset_connection();
  client.change_user("anna", "depot");
  client.ping();
}

TEST_P(Sessions, AreToldWholeWithAllCommands) {
  Trace trace(server(), {"--all-commands"});
  uint64_t connection = 0;
  {
    Client session = client("bert");
    connection = session.connection_id();
    do_everything(session);
  }
  Client watcher = client();
  const std::string left = "SELECT COUNT(*) FROM information_schema.processlist WHERE id = " +
                           std::to_string(connection);
  EXPECT_TRUE(wait_until([&] { return watcher.value(left) == "0"; }, std::chrono::seconds(10)));

  const std::vector<Told> told = by_connection(trace.finish(11))[connection];
  EXPECT_EQ(commands_of(told),
            (std::vector<std::string>{"Ping", "Statistics", "SetOption", "InitDb", "FieldList",
                                      "Query", "ResetConnection", "ChangeUser", "Ping", "Quit"}));
  ASSERT_EQ(told.size(), 10u);
  for (const Told& command : told) {
    EXPECT_EQ(command.error, 0u) << ::testing::PrintToString(command);
    EXPECT_EQ(command.rows_sent.has_value(), command.command == "Query");
  }
  EXPECT_EQ(told[3].text, "shop");
  EXPECT_EQ(told[3].database, std::nullopt);
  EXPECT_EQ(told[4].text, "numbers");
  EXPECT_EQ(told[4].database, "shop");
  EXPECT_EQ(told[7].user, "bert");
  EXPECT_EQ(told[8].user, "anna");
  EXPECT_EQ(told[8].database, "depot");
  EXPECT_EQ(told[8].text, std::nullopt);
}

TEST_P(Sessions, AreToldByTheirStatementsOtherwise) {
  Client session = client("bert");
  Trace trace(server());
  do_everything(session);
  const std::vector<Line> lines = trace.finish(3);
  EXPECT_EQ(commands_of(told_of(lines, session)),
            (std::vector<std::string>{"InitDb", "FieldList", "Query"}));
  EXPECT_EQ(trace.summary().hidden, 6u);
}

// What began before dbtrace could see it is not told as if it had begun then.
TEST_P(Sessions, AreTrueAfterACommandThatRanWhileAttaching) {
  Client session = client("anna", "shop");
  Client watcher = client();
  session.send("SELECT SLEEP(2), 'in flight'");
  const std::string running = "SELECT COUNT(*) FROM information_schema.processlist WHERE id = " +
                              std::to_string(session.connection_id()) + " AND info LIKE '%flight%'";
  ASSERT_TRUE(wait_until([&] { return watcher.value(running) == "1"; }, std::chrono::seconds(10)));
  Trace trace(server());
  EXPECT_EQ(watcher.value(running), "1") << "it took too long to attach";
  session.receive();
  session.query("SELECT 'after'");
  EXPECT_EQ(told_of(trace.finish(2), session),
            (std::vector{Told{.command = "Query",
                              .text = "SELECT 'after'",
                              .user = "anna",
                              .database = "shop",
                              .rows_sent = 1,
                              .rows_examined = GetParam().examined_without_table()}}));
  EXPECT_EQ(trace.summary().still_running, 0u);
}

TEST_P(Sessions, ThatAreKilledAreToldToTheirEnd) {
  Client victim = client();
  Client killer = client();
  Trace trace(server());
  victim.send("SELECT SLEEP(30)");
  const std::string id = std::to_string(victim.connection_id());
  ASSERT_TRUE(wait_until(
      [&] {
        return killer.value("SELECT COUNT(*) FROM information_schema.processlist WHERE id = " + id +
                            " AND info LIKE '%SLEEP%'") == "1";
      },
      std::chrono::seconds(10)));
  killer.query("KILL CONNECTION " + id);
  EXPECT_THROW(victim.receive(), ClientError);
  ASSERT_TRUE(
      wait_until([&] { return trace.process().output().find("SLEEP(30)") != std::string::npos; },
                 std::chrono::seconds(10)));
  const std::vector<Line> lines = lines_of(trace.finish(0), victim);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].told.text, "SELECT SLEEP(30)");
  EXPECT_LT(lines[0].duration_ns, 30'000'000'000u);
  EXPECT_EQ(trace.summary().still_running, 0u);
}

TEST_P(Sessions, ThatAreBusyAtTheEndAreCounted) {
  Client session = client();
  Client watcher = client();
  Trace trace(server());
  session.send("SELECT SLEEP(3), 'busy'");
  const std::string running = "SELECT COUNT(*) FROM information_schema.processlist WHERE id = " +
                              std::to_string(session.connection_id()) + " AND info LIKE '%busy%'";
  ASSERT_TRUE(wait_until([&] { return watcher.value(running) == "1"; }, std::chrono::seconds(10)));
  EXPECT_EQ(lines_of(trace.finish(1), session).size(), 0u);
  EXPECT_EQ(trace.summary().still_running, 1u);
  session.receive();
}

}  // namespace
}  // namespace dbtrace::testing
