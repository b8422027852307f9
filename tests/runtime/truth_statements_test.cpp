// Every statement that the server executes is told, where it belongs, as the
// server's own performance_schema has it.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/runtime/truth.h"

namespace dbtrace::testing {
namespace {

// One statement, as both sides know it.
struct Executed {
  std::string text;
  std::string inside;  // text of the statement that it ran in
  uint64_t error = 0;
  std::optional<uint64_t> rows_sent = 0, rows_examined = 0;  // nothing: cannot be known

  [[nodiscard]] bool agrees_with(const Executed& other) const {
    const auto agree = [](const auto& mine, const auto& its) { return !mine || !its || mine == its; };
    return text == other.text && inside == other.inside && error == other.error &&
           agree(rows_sent, other.rows_sent) && agree(rows_examined, other.rows_examined);
  }
};

void PrintTo(const Executed& executed, std::ostream* out) {
  *out << "{" << executed.text << "} in {" << executed.inside << "} error " << executed.error
       << " sent " << executed.rows_sent.value_or(999) << " examined "
       << executed.rows_examined.value_or(999);
}

// In routines the server puts values in the place of variables: both are right.
std::string without_values(const std::string& text) {
  static const std::regex value(R"( ?NAME_CONST\('(\w+)',[^)]*\))"), blanks(R"(\s+)");
  std::string plain = std::regex_replace(std::regex_replace(text, value, "$1"), blanks, " ");
  plain.erase(plain.find_last_not_of("; ") + 1);
  plain.erase(0, plain.find_first_not_of(' '));
  return plain;
}

// Of several statements in one text, performance_schema's first has the text of
// all that follow on MariaDB: what stands before the semicolon is compared.
std::string first_of(const std::string& text) {
  return without_values(text.substr(0, text.find(';')));
}

class Statements : public ::testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    if (const auto reason = why_unavailable(GetParam().flavor)) GTEST_SKIP() << *reason;
    if (!servers_.contains(GetParam().flavor)) start();
  }
  static void TearDownTestSuite() { servers_.clear(); }

  [[nodiscard]] static const Server& server() { return *servers_.at(GetParam().flavor); }
  [[nodiscard]] static Client connect() {
    return Client({.socket = server().socket(), .database = "shop"});
  }

  static void start() {
    servers_[GetParam().flavor] = std::make_unique<Server>(ServerOptions{
        .flavor = GetParam().flavor,
        .arguments = {"--performance-schema=ON", "--event-scheduler=ON", "--thread-stack=2M",
                      "--performance-schema-events-statements-history-long-size=20000",
                      "--performance-schema-consumer-events-statements-current=ON",
                      "--performance-schema-consumer-events-statements-history-long=ON"}});
    furnish(server());
    Client client = connect();
    for (const char* statement : {
             "CREATE TABLE items (id INT PRIMARY KEY AUTO_INCREMENT, n INT)",
             "CREATE TABLE log (n INT)",
             "CREATE PROCEDURE one(n INT) BEGIN INSERT INTO items (n) VALUES (n); "
             "SELECT COUNT(*) FROM items; END",
             "CREATE PROCEDURE many(n INT) BEGIN DECLARE i INT DEFAULT 0; "
             "DECLARE CONTINUE HANDLER FOR 1146 SET @failed = 1; "
             "WHILE i < n DO CALL one(i); SELECT * FROM nosuch; SELECT id FROM numbers LIMIT 3; "
             "COMMIT; SET @x = 5; DO 1; FLUSH STATUS; UPDATE items SET n = 1 WHERE id = 0; "
             "SET i = i + 1; END WHILE; END",
             "CREATE PROCEDURE deep(n INT) BEGIN "
             "IF n > 0 THEN SET max_sp_recursion_depth = 100; CALL deep(n - 1); END IF; "
             "SELECT n; END",
             "CREATE FUNCTION f(n INT) RETURNS INT READS SQL DATA BEGIN DECLARE r INT; "
             "SELECT COUNT(*) INTO r FROM numbers WHERE id <= n; RETURN r; END",
             "CREATE TRIGGER t BEFORE INSERT ON items FOR EACH ROW INSERT INTO log VALUES (NEW.n)",
         })
      client.query(statement);
  }

  // What performance_schema has of a connection. Control flow has no text. (It
  // has a nesting_event_id, too, which MySQL gets wrong after the first of several
  // statements in one text.)
  [[nodiscard]] static std::vector<Executed> of_server(const Client& client) {
    Client reader = connect();
    std::vector<std::string> above;
    std::vector<Executed> executed;
    for (const Row& row : reader.query(
             "SELECT nesting_event_level, sql_text, mysql_errno, rows_sent, rows_examined, "
             "event_name FROM performance_schema.events_statements_history_long JOIN "
             "performance_schema.threads USING (thread_id) WHERE processlist_id = " +
             std::to_string(client.connection_id()) + " ORDER BY event_id")) {
      if (!row.at(1) || row.at(5)->starts_with("statement/com/")) continue;
      above.resize(std::stoull(*row.at(0)));
      executed.push_back({first_of(*row.at(1)), above.empty() ? "" : above.back(),
                          std::stoull(*row.at(2)), std::stoull(*row.at(3)),
                          std::stoull(*row.at(4))});
      above.push_back(executed.back().text);
    }
    return without_callers_rows(executed);
  }

  // What dbtrace has told of it, without what performance_schema knows nothing of:
  // texts of several statements, and what EXECUTE runs.
  [[nodiscard]] static std::vector<Executed> told(std::vector<Line> lines, const Client& client) {
    lines = lines_of(lines, client);
    std::ranges::sort(lines, {}, [](const Line& line) {
      return std::pair(line.start, line.depth);
    });
    std::map<uint64_t, const Line*> by_id;
    for (const Line& line : lines) by_id[line.id] = &line;
    std::vector<Executed> executed;
    for (const Line& line : lines) {
      const std::string text = line.told.text.value();
      const bool is_compound =
          line.told.command == "Query" && std::ranges::any_of(lines, [&](const Line& other) {
            return other.parent_id == line.id && text.starts_with(*other.told.text + ";");
          });
      if (is_compound) continue;
      std::string inside;
      if (line.parent_id != 0) {
        const Line& parent = *by_id.at(line.parent_id);
        EXPECT_EQ(line.depth, parent.depth + 1) << text;
        EXPECT_LE(line.duration_ns, parent.duration_ns - parent.own_ns) << text;
        inside = parent.told.text->find(';') == std::string::npos ? without_values(*parent.told.text)
                                                                  : "";
      }
      EXPECT_EQ(line.told.rows_sent.has_value(), inside.empty()) << text;
      executed.push_back({without_values(text), inside, line.told.error.value(),
                          line.told.rows_sent, line.told.rows_examined});
    }
    return without_callers_rows(executed);
  }

  // What the statements of its routines send and examine belongs to a caller, too, in the
  // session's counters, which dbtrace tells; performance_schema leaves some of it out.
  static std::vector<Executed> without_callers_rows(std::vector<Executed> executed) {
    for (size_t i = 0; i + 1 < executed.size(); ++i)
      if (executed[i + 1].inside == executed[i].text)
        executed[i].rows_sent = executed[i].rows_examined = std::nullopt;
    return executed;
  }

 private:
  static inline std::map<Flavor, std::unique_ptr<Server>> servers_;
};
DBTRACE_EACH_FLAVOR(Statements);

TEST_P(Statements, AreThoseThatTheServerExecuted) {
  Client client = connect();
  Trace trace(server(), {"--statements", "--rows-examined"});
  for (const char* text : {
           "SELECT 1",
           "  \n\t SELECT COUNT(*) FROM numbers ;;  ",
           "SELECT 'a'; SELECT id FROM numbers LIMIT 5 ; SELECT f(3), f(7)",
           "CALL many(3)",
           "INSERT INTO items (n) SELECT id FROM numbers LIMIT 10",
           "SELECT f(id) FROM numbers LIMIT 4",
           "UPDATE items SET n = n + 1 WHERE id < 4",
       })
    client.query(text);
  EXPECT_EQ(client.error_of("SELECT 'b'; SELECT * FROM nosuch; SELECT 'never'"), 1146u);
  EXPECT_EQ(client.error_of("CALL nosuch()"), 1305u);
  const std::vector<Executed> done = of_server(client);
  const std::vector<Executed> said = told(trace.finish(50), client);
  EXPECT_GT(done.size(), 40u);
  ASSERT_EQ(said.size(), done.size());
  for (size_t i = 0; i < done.size(); ++i)
    ASSERT_TRUE(said[i].agrees_with(done[i]))
        << "statement " << i << ": " << ::testing::PrintToString(said[i]) << " for "
        << ::testing::PrintToString(done[i]);
  EXPECT_EQ(trace.summary().statements + trace.summary().seen, trace.summary().shown + 1);
}

// The whole command is one line, not two.
TEST_P(Statements, ThatAreTheWholeCommandAreToldOnce) {
  Client client = connect();
  Trace trace(server(), {"--statements"});
  client.query("SELECT 'one'");
  client.query("\n    SELECT 'two' ;\n\n");
  Statement prepared = client.prepare("SELECT id FROM numbers WHERE id = ?");
  prepared.execute({int64_t{7}});
  EXPECT_EQ(client.error_of("SELCT 1"), 1064u);
  std::vector<std::pair<std::string, uint64_t>> commands;
  for (const Line& line : lines_of(trace.finish(5), client))
    commands.emplace_back(line.told.command, line.depth);
  using Commands = decltype(commands);
  EXPECT_EQ(commands, (Commands{{"Query", 0}, {"Query", 0}, {"Prepare", 0}, {"Execute", 0},
                                {"Query", 0}}));
  EXPECT_EQ(trace.summary().statements, 0u);
}

TEST_P(Statements, ThatOthersExecuteAreInsideThem) {
  Client client = connect();
  client.query("PREPARE s FROM 'SELECT id FROM numbers WHERE id < ?'");
  client.query("SET @n = 4");
  Trace trace(server(), {"--statements"});
  client.query("EXECUTE s USING @n");
  const std::vector<Line> lines = lines_of(trace.finish(2), client);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1].told.text, "EXECUTE s USING @n");
  EXPECT_TRUE(lines[0].told.text->starts_with("SELECT id FROM numbers WHERE id < "));
  EXPECT_EQ(lines[0].parent_id, lines[1].id);
  EXPECT_EQ(lines[1].told.rows_sent, 3u);
}

// Also when EXECUTE is a part of a text or a routine.
TEST_P(Statements, ThatExecuteOthersHaveTheirOwnText) {
  Client client = connect();
  client.query("DROP PROCEDURE IF EXISTS executing; CREATE PROCEDURE executing() BEGIN PREPARE q "
               "FROM 'SELECT 2'; EXECUTE q; DEALLOCATE PREPARE q; END");
  Trace trace(server(), {"--statements"});
  client.query("PREPARE s FROM 'SELECT 1'; EXECUTE s");
  client.query("CALL executing()");
  std::map<std::string, std::string> inside;
  const std::vector<Line> lines = lines_of(trace.finish(9), client);
  for (const Line& line : lines)
    for (const Line& parent : lines)
      if (line.parent_id == parent.id) inside[*line.told.text] = *parent.told.text;
  EXPECT_EQ(inside["SELECT 1"], "EXECUTE s");
  EXPECT_EQ(inside["SELECT 2"], "EXECUTE q");
  EXPECT_EQ(inside["EXECUTE q"], "CALL executing()");
}

// The general log has fewer (of routines, only what reads their variables), but
// none that is not told.
TEST_P(Statements, HaveThoseOfTheGeneralLog) {
  Client client = connect(), reader = connect();
  reader.query("SET GLOBAL log_output = 'TABLE'; SET GLOBAL general_log = ON");
  Trace trace(server(), {"--statements"});
  for (const char* text :
       {"SELECT 1", "SELECT 'a'; SELECT f(3) ; SELECT 'c'", "CALL many(2)", "CALL deep(2)",
        "UPDATE items SET n = n + 1 WHERE id < 4", "SET @n = 4"})
    client.query(text);
  EXPECT_EQ(client.error_of("SELCT 1"), 1064u);
  client.prepare("SELECT id FROM numbers WHERE id < ?").execute({int64_t{3}});
  reader.query("SET GLOBAL general_log = OFF");
  std::multiset<std::string> told;
  for (const Line& line : lines_of(trace.finish(30), client))
    told.insert(without_values(*line.told.text));
  size_t logged = 0;
  for (const Row& row : reader.query("SELECT argument FROM mysql.general_log WHERE command_type IN "
                                     "('Query', 'Prepare') AND thread_id = " +
                                     std::to_string(client.connection_id()))) {
    ++logged;
    const auto found = told.find(without_values(*row.at(0)));
    ASSERT_NE(found, told.end()) << *row.at(0);
    told.erase(found);
  }
  EXPECT_GE(logged, 8u);  // as many as were sent
}

// Nobody's command: the event scheduler's own thread runs it.
TEST_P(Statements, OfEventsAreTold) {
  Client client = connect();
  Trace trace(server(), {"--statements"});
  client.query(
      "CREATE EVENT e ON SCHEDULE AT CURRENT_TIMESTAMP DO INSERT INTO log VALUES (4711)");
  ASSERT_TRUE(wait_until(
      [&] { return client.value("SELECT COUNT(*) FROM log WHERE n = 4711") == "1"; },
      std::chrono::seconds(20)));
  size_t found = 0;
  for (const Line& line : trace.finish(3))
    if (line.told.text == "INSERT INTO log VALUES (4711)") {
      ++found;
      EXPECT_NE(line.connection, client.connection_id());
      EXPECT_EQ(line.told.command, "Statement");
      EXPECT_EQ(line.told.database, "shop");
      EXPECT_EQ(line.told.user, "root");
    }
  EXPECT_EQ(found, 1u);
}

// What is nested more deeply than dbtrace follows is counted, and the rest is right.
TEST_P(Statements, NestedTooDeeplyAreCounted) {
  Client client = connect();
  client.query("SET max_sp_recursion_depth = 100");
  DbtraceProcess process({"queries", "-p", std::to_string(server().pid()), "--format", "json",
                          "--statements"});
  process.wait_until_attached(std::chrono::seconds(60));
  client.query("CALL deep(40)");
  client.query("CALL deep(2)");
  EXPECT_EQ(process.stop(), 0);
  const std::string errors = process.errors();
  EXPECT_NE(errors.find(" nested too deeply"), std::string::npos) << errors;
  std::vector<std::string> calls;
  for (const nlohmann::json& line : process.queries())
    if (line["depth"] == 0) calls.push_back(line["query"]);
  EXPECT_EQ(calls, (std::vector<std::string>{"CALL deep(40)", "CALL deep(2)"}));
}

TEST_P(Statements, CountForTheirFilters) {
  Client client = connect();
  Trace slow(server(), {"--statements", "--slower-than", "100ms"});
  Trace failed(server(), {"--statements", "--errors"});
  client.query("SELECT 'fast'; SELECT SLEEP(0.2); SELECT 'fast too'");
  EXPECT_EQ(client.error_of("CALL many(1); SELECT * FROM nosuch"), 1146u);
  const auto texts = [&client](const std::vector<Line>& lines) {
    std::vector<std::string> all;
    for (const Line& line : lines_of(lines, client)) all.push_back(*line.told.text);
    return all;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(texts(slow.finish(2)),
            (Texts{"SELECT SLEEP(0.2)", "SELECT 'fast'; SELECT SLEEP(0.2); SELECT 'fast too'"}));
  EXPECT_EQ(texts(failed.finish(3)), (Texts{"SELECT * FROM nosuch", "SELECT * FROM nosuch",
                                            "CALL many(1); SELECT * FROM nosuch"}));
}

// What MariaDB answers from its query cache runs no statement; the command is told.
TEST(QueryCache, HitsAreTold) {
  if (const auto reason = why_unavailable(Flavor::MariaDb)) GTEST_SKIP() << *reason;
  Server server({.arguments = {"--query-cache-type=ON", "--query-cache-size=4M"}});
  furnish(server);
  Client client({.socket = server.socket(), .database = "shop"});
  const std::string text = "SELECT id FROM numbers WHERE id < 5";
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, std::vector<std::string>{"--statements"}}) {
    client.query("RESET QUERY CACHE");
    client.query("FLUSH STATUS");
    Trace trace(server, arguments);
    for (int i = 0; i < 3; ++i) client.query(text);
    const std::vector<Told> told = told_of(trace.finish(3), client);
    EXPECT_EQ(client.query("SHOW STATUS LIKE 'Qcache_hits'").at(0).at(1), "2");
    ASSERT_EQ(told.size(), 3u);
    for (const Told& each : told) {
      EXPECT_EQ(each.text, text);
      EXPECT_EQ(each.command, "Query");
      EXPECT_EQ(each.database, "shop");
      EXPECT_EQ(each.error, 0u);
      EXPECT_EQ(each.rows_sent, 4u);
    }
  }
}

TEST(ExecuteImmediate, IsAStatementWithAnotherInside) {
  if (const auto reason = why_unavailable(Flavor::MariaDb)) GTEST_SKIP() << *reason;
  const Server& server = shared_server(Flavor::MariaDb);
  Client client({.socket = server.socket()});
  Trace trace(server, {"--statements"});
  client.query("EXECUTE IMMEDIATE 'SELECT ? + 1' USING 4");
  const std::vector<Line> lines = lines_of(trace.finish(2), client);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].told.text->starts_with("SELECT ")) << *lines[0].told.text;
  EXPECT_EQ(lines[0].parent_id, lines[1].id);
  EXPECT_EQ(lines[1].told.text, "EXECUTE IMMEDIATE 'SELECT ? + 1' USING 4");
}

}  // namespace
}  // namespace dbtrace::testing
