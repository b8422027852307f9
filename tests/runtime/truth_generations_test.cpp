// What is told of a server does not depend on its generation: the same session
// on each that can be had.
#include <map>
#include <string>
#include <vector>

#include "tests/runtime/truth.h"

namespace dbtrace::testing {
namespace {

class Generations : public Truth {
 protected:
  static Told of_anna(const std::string& command, const std::string& text) {
    return {.command = command, .text = text, .user = "anna", .database = "shop"};
  }
  static Told with_rows(const std::string& command, const std::string& text, uint64_t sent,
                        uint64_t examined) {
    Told told = of_anna(command, text);
    told.rows_sent = sent;
    told.rows_examined = examined;
    return told;
  }
};
INSTANTIATE_TEST_SUITE_P(Each, Generations,
                         ::testing::Values(Setting{Flavor::MySql56, true},
                                           Setting{Flavor::MySql, true},
                                           Setting{Flavor::MariaDb, true},
                                           Setting{Flavor::MariaDb11, true}),
                         setting_name);

TEST_P(Generations, TellOfTextRowsAndErrorsAlike) {
  const std::string early = "SELECT id FROM numbers WHERE id < ?",
                    late = "SELECT id, square FROM numbers WHERE square > ?",
                    filter = "SELECT square FROM numbers WHERE square > 9000";
  Client anna = client("anna", "shop");
  Statement prepared = anna.prepare(early);
  Trace trace(server(), as_set());
  anna.query(filter);
  prepared.execute({int64_t{4}});
  EXPECT_EQ(anna.error_of("SELECT nosuch FROM numbers"), 1054u);
  EXPECT_EQ(anna.error_of("SELCT 1"), 1064u);
  anna.prepare(late).execute({int64_t{9801}});
  anna.select_database("depot");
  anna.query(filter);

  const std::vector<Line> lines = trace.finish(8);
  const std::vector<Told> told = told_of(lines, anna);
  std::vector<Told> done = {with_rows("Query", filter, 6, 100),
                            with_rows("Execute", early, 3, 3),
                            with_rows("Query", "SELECT nosuch FROM numbers", 0, 0),
                            with_rows("Query", "SELCT 1", 0, 0),
                            of_anna("Prepare", late),
                            with_rows("Execute", late, 1, 100),
                            of_anna("InitDb", "depot"),
                            with_rows("Query", filter, 6, 100)};
  done[2].error = 1054;
  done[3].error = 1064;
  done[7].database = "depot";
  expect_same(told, done);
}

TEST_P(Generations, TellOfTheStatementsInsideAlike) {
  Client root = client("root", "shop");
  root.query("DROP PROCEDURE IF EXISTS inside");
  root.query(
      "CREATE PROCEDURE inside() BEGIN SELECT id FROM numbers WHERE square > 9801; "
      "UPDATE numbers SET square = 0 WHERE id = 0; END");
  Client anna = client("anna", "shop");
  Trace trace(server(), as_set({"--statements"}));
  anna.query("CALL inside()");
  anna.query("SELECT 'a'; SELECT id FROM numbers WHERE square > 9801");
  const std::vector<Line> lines = lines_of(trace.finish(6), anna);
  ASSERT_EQ(lines.size(), 6u);
  const std::string text = "SELECT id FROM numbers WHERE square > 9801";
  // The servers count the rows of a routine, not of the statements in it.
  EXPECT_EQ(lines[0].told, of_anna("Statement", text));
  EXPECT_EQ(lines[1].told.text, "UPDATE numbers SET square = 0 WHERE id = 0");
  EXPECT_EQ(lines[2].told.text, "CALL inside()");
  EXPECT_EQ(lines[3].told.text, "SELECT 'a'");
  EXPECT_EQ(lines[4].told, with_rows("Statement", text, 1, 100));
  EXPECT_EQ(lines[5].told.text, "SELECT 'a'; SELECT id FROM numbers WHERE square > 9801");
  for (const size_t child : {0u, 1u}) EXPECT_EQ(lines[child].parent_id, lines[2].id);
  for (const size_t child : {3u, 4u}) EXPECT_EQ(lines[child].parent_id, lines[5].id);
}

}  // namespace
}  // namespace dbtrace::testing
