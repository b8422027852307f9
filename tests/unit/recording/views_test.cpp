// What is asked of recordings: the views, and every question of docs/recordings.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/temporary_folder.h"
#include "tests/unit/recording/queries.h"

namespace dbtrace::recording {
namespace {

using ::testing::HasSubstr;

class Views : public ::testing::Test {
 protected:
  void SetUp() override {
    model::Query query = full_query();
    query.kind = 0;
    Writer writer = writer_of(path_, {.literals = true, .program = "test"});
    writer.add(query);
    writer.add(query_of("select 1"));
    writer.add(full_second(1));
    writer.set({"lost_ring_full", 3});
    writer.set({"commands_ended", 5});
    must(writer.finish(kBegin + 1'000'000'000));
  }
  std::string ask(const std::string& sql) { return asked(path_, sql); }

  dbtrace::testing::TemporaryFolder folder_;
  std::string path_ = folder_.path() / "recording";
};

// The statements of the page, in its order.
std::vector<std::string> questions() {
  const std::string page = bytes_of(RECORDINGS_PAGE), begin = "```sql\n", end = "```";
  std::vector<std::string> all;
  for (size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at)) {
    at += begin.size();
    all.push_back(page.substr(at, page.find(end, at) - at));
  }
  return all;
}

TEST_F(Views, EveryQuestionOfThePageHasAnAnswer) {
  const std::vector<std::string> sql = questions();
  ASSERT_EQ(sql.size(), 10U);
  EXPECT_THAT(ask(sql[0]), HasSubstr("SELECT `secret` FROM `t` WHERE `id` = ...|1|0.123456789"));
  EXPECT_THAT(ask(sql[1]), HasSubstr("2026-09-21 14:13:20.001|123.456789|0.001|"));
  EXPECT_EQ(ask(sql[2]), "shop.t|2|3|4.0e-06\nredo|0|0|0.0\n|0|0|0.0\n");
  EXPECT_THAT(ask(sql[3]), HasSubstr("|6|update t set a = 'secret'|5|select secret from t"));
  EXPECT_EQ(ask(sql[4]), "update t set a = 'secret'|1|5.5e-05\n");
  EXPECT_THAT(ask(sql[5]), HasSubstr("1205|40001|SELECT `secret`"));
  EXPECT_EQ(ask(sql[6]), "2026-09-21 14:13:20|2|123.456789\n");
  EXPECT_THAT(ask(sql[7]), HasSubstr("app|client.example|psql|shop|1|"));
  EXPECT_EQ(ask(sql[8]), "2026-09-21 14:13:21|0.000136016|101|0.016001|group_commit\n");
  EXPECT_EQ(ask(sql[9]), "lost_ring_full|3\n");
}

TEST_F(Views, TheBudgetIsZeroOrNotKnown) {
  EXPECT_EQ(ask("select on_cpu_ns, lock_ns, locks_ns is null from queries where id = 2"), "||1\n");
  // Lock, and the seven kinds from RowLock on.
  EXPECT_EQ(ask("select locks_ns, row_lock_ns, unexplained_ns from queries where id = 1"),
            std::to_string(1005 + 7 * 1000 + 9 + 10 + 11 + 12 + 13 + 14 + 15) + "|1009|17\n");
}

TEST_F(Views, StacksAreLines) {
  EXPECT_EQ(ask("select cause, ns, replace(frames, char(10), ';') from stacks"),
            "sleep|10|start_thread;a<b;c>::d(int, char);\non_cpu|1|\n");
}

// Every column of every table and view is on the page.
TEST_F(Views, ThePageNamesEveryColumn) {
  const std::string page = bytes_of(RECORDINGS_PAGE);
  std::string columns = ask(
      "select distinct c.name from sqlite_schema s join pragma_table_info(s.name) c"
      " where s.name not like 'kind_%' union select name from sqlite_schema where type <> 'index'");
  for (size_t at = 0; at < columns.size();) {
    const size_t end = columns.find('\n', at);
    const std::string name = columns.substr(at, end - at);
    EXPECT_THAT(page, HasSubstr('`' + name + '`')) << name;
    at = end + 1;
  }
}

}  // namespace
}  // namespace dbtrace::recording
