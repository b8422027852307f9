// Prepared statements keep their text through all that can happen to them.
#include <optional>
#include <string>
#include <utility>

#include "tests/runtime/truth.h"

namespace dbtrace::testing {
namespace {

Told of(const std::string& command, const std::optional<std::string>& text = {}) {
  return {.command = command, .text = text, .database = "shop"};
}

class Prepared : public Truth {
 protected:
  Client shopper_ = client("root", "shop");

  static Told execution(const std::string& text, uint64_t sent, uint64_t examined) {
    Told told = of("Execute", text);
    told.rows_sent = sent;
    told.rows_examined = GetParam().examined(examined);
    return told;
  }
  // Of a statement that reads no table.
  static Told constant(const std::string& text) {
    Told told = execution(text, 1, 0);
    told.rows_examined = GetParam().examined_without_table();
    return told;
  }
};
DBTRACE_EACH_SETTING(Prepared);

TEST_P(Prepared, BeforeAttachingAreToldWithTheirText) {
  const std::string one = "SELECT ? /* one */", two = "SELECT id FROM numbers WHERE id < ?";
  Statement first = shopper_.prepare(one);
  Statement second = shopper_.prepare(two);
  first.execute({int64_t{1}});
  Client other = client("anna", "depot");
  Statement others = other.prepare("SELECT 'other', ?");

  Trace trace(server(), as_set());
  second.execute({int64_t{11}});
  others.execute({"x"});
  first.execute({"a longer value than before"});
  second.execute({int64_t{3}});
  const std::vector<Line> lines = trace.finish(4);
  EXPECT_EQ(told_of(lines, shopper_),
            (std::vector{execution(two, 10, 10), constant(one), execution(two, 2, 2)}));
  EXPECT_EQ(told_of(lines, other),
            (std::vector{Told{.command = "Execute",
                              .text = "SELECT 'other', ?",
                              .user = "anna",
                              .database = "depot",
                              .rows_sent = 1,
                              .rows_examined = GetParam().examined_without_table()}}));
}

TEST_P(Prepared, AreFollowedFromPreparationToClosing) {
  const std::string text = "SELECT LENGTH(?)";
  Trace trace(server(), as_set({"--all-commands"}));
  {
    Statement statement = shopper_.prepare(text);
    statement.execute({"abc"});
    statement.send_long_data(0, std::string(20'000, 'x'));
    statement.send_long_data(0, "yz");
    EXPECT_EQ(statement.execute({std::string()}), (Rows{{"20002"}}));
    statement.reset();
    statement.execute({"abc"});
  }
  const std::string again = "SELECT LENGTH(?) + 1";
  shopper_.prepare(again).execute({"abc"});
  const std::vector<Line> lines = trace.finish(11);
  EXPECT_EQ(told_of(lines, shopper_),
            (std::vector{of("Prepare", text), constant(text), of("SendLongData"),
                         of("SendLongData"), constant(text), of("Reset"), constant(text),
                         of("Close"), of("Prepare", again), constant(again), of("Close")}));
}

// The server prepares a statement anew when its table has changed.
TEST_P(Prepared, KeepTheirTextWhenTheirTableChanges) {
  shopper_.query("CREATE TABLE changing (a INT); INSERT INTO changing VALUES (1)");
  const std::string text = "SELECT a FROM changing WHERE a > ?";
  Statement statement = shopper_.prepare(text);
  Trace trace(server(), as_set());
  statement.execute({int64_t{0}});
  client().query("ALTER TABLE shop.changing ADD b INT");
  statement.execute({int64_t{0}});
  client().query("TRUNCATE shop.changing");
  statement.execute({int64_t{0}});
  client().query("DROP TABLE shop.changing");
  EXPECT_THROW(statement.execute({int64_t{0}}), ClientError);
  Told failed = execution(text, 0, 0);
  failed.error = 1146;
  const std::vector<Line> lines = trace.finish(7);
  EXPECT_EQ(told_of(lines, shopper_), (std::vector{execution(text, 1, 1), execution(text, 1, 1),
                                                   execution(text, 0, 0), failed}));
}

// The text is the one the client asked for, not one that the server runs within.
TEST_P(Prepared, AreNotMistakenForThoseTheyRun) {
  shopper_.query(
      "CREATE PROCEDURE outer_one(n INT) BEGIN"
      " PREPARE inner_one FROM 'SELECT id FROM numbers WHERE id <= ?';"
      " SET @n = n; EXECUTE inner_one USING @n; DEALLOCATE PREPARE inner_one; END");
  Trace trace(server(), as_set());
  const std::string text = "CALL outer_one(?)";
  shopper_.prepare(text).execute({int64_t{3}});
  shopper_.query("PREPARE s FROM 'SELECT ?'");
  shopper_.query("EXECUTE s USING @n");
  const std::vector<Told> commands = told_of(trace.finish(4), shopper_);
  ASSERT_EQ(commands.size(), 4u);
  EXPECT_EQ(commands[0], of("Prepare", text));
  EXPECT_EQ(commands[1].command, "Execute");
  EXPECT_EQ(commands[1].text, text);
  EXPECT_EQ(commands[2].text, "PREPARE s FROM 'SELECT ?'");
  EXPECT_EQ(commands[3].text, "EXECUTE s USING @n");
  shopper_.query("DROP PROCEDURE outer_one");
}

// Rows through a cursor are sent by the commands that fetch them.
TEST_P(Prepared, SendRowsByFetching) {
  const std::string text = "SELECT id FROM numbers WHERE id <= 10";
  Trace trace(server(), as_set({"--all-commands"}));
  {
    const Unique<StatementTraits> statement(::mysql_stmt_init(shopper_.handle()));
    ASSERT_EQ(::mysql_stmt_prepare(statement.get(), text.data(), text.size()), 0);
    const unsigned long cursor = CURSOR_TYPE_READ_ONLY, rows = 4;
    ::mysql_stmt_attr_set(statement.get(), STMT_ATTR_CURSOR_TYPE, &cursor);
    ::mysql_stmt_attr_set(statement.get(), STMT_ATTR_PREFETCH_ROWS, &rows);
    ASSERT_EQ(::mysql_stmt_execute(statement.get()), 0);
    int fetched = 0;
    while (::mysql_stmt_fetch(statement.get()) == 0) ++fetched;
    EXPECT_EQ(fetched, 10);
  }
  std::vector<std::pair<std::string, std::optional<uint64_t>>> sent;
  for (const Told& command : told_of(trace.finish(6), shopper_)) {
    EXPECT_EQ(command.error, 0u);
    sent.emplace_back(command.command, command.rows_sent);
  }
  using Expected = decltype(sent);
  EXPECT_EQ(sent, (Expected{{"Prepare", {}},
                            {"Execute", 0},
                            {"Fetch", 4},
                            {"Fetch", 4},
                            {"Fetch", 2},
                            {"Close", {}}}));
}

}  // namespace
}  // namespace dbtrace::testing
