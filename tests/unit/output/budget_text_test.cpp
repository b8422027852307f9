#include "src/output/budget_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "src/output/cause_names.h"
#include "tests/unit/output/sample_query.h"

namespace dbtrace::output {
namespace {

using model::Cause;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class BudgetTextTest : public ::testing::Test {
 protected:
  BudgetTextTest() {
    setenv("TZ", "UTC-2", 1);
    tzset();
  }
  ~BudgetTextTest() override {
    unsetenv("TZ");
    tzset();
  }
};

std::string text(const model::Query& query, size_t width = 0) {
  return written(FormatOptions{.width = width, .budget = true}, query);
}

std::string heading(size_t width) {
  std::string out;
  make_sink({.width = width, .budget = true})->begin(out);
  return out;
}

std::string bar(const model::Budget& budget, size_t cells = 10, bool color = false) {
  TextLine line(0, color);
  line.start();
  std::string out;
  append_bar(budget, cells, line, out);
  return out;
}

TEST_F(BudgetTextTest, HasAllColumnsWhereThereIsRoom) {
  EXPECT_EQ(
      heading(0) + text(sample_with_budget()),
      "C cpu Q runq R read W write F fsync L lock N net Z sleep O other ? unexplained\n"
      "TIME           CONN USER               DB             TOOK    CPU   RUNQ    I/O   LOCK "
      "   NET  OTHER      ? BUDGET       ROWS QUERY\n"
      "05:04:05.123      8 app@web1           shop          123µs   30µs      0   20µs   73µs "
      "     0      0  456ns CCRRLLLLLL      1 "
      "[blocked by #9: update orders set a = 1] select 1\n");
  EXPECT_EQ(heading(160), heading(0));
}

TEST_F(BudgetTextTest, HasFewerColumnsOnATerminal) {
  model::Query query = sample_with_budget();
  query.blocker.reset();
  EXPECT_EQ(
      heading(110) + text(query, 110),
      "C cpu Q runq R read W write F fsync L lock N net Z sleep O other ? unexplained\n"
      "TIME       CONN USER     DB         TOOK    CPU   RUNQ    I/O   LOCK BUDGET       ROWS "
      "QUERY\n"
      "05:04:05      8 app      shop      123µs   30µs      0   20µs   73µs CCRRLLLLLL      1 "
      "select 1\n");
  EXPECT_EQ(heading(80) + text(query, 80),
            "C cpu Q runq R read W write F fsync L lock N net Z sleep O other ? unexplained\n"
            "TIME       CONN USER     DB         TOOK BUDGET       ROWS QUERY\n"
            "05:04:05      8 app      shop      123µs CCRRLLLLLL      1 select 1\n");
}

TEST_F(BudgetTextTest, WithoutABudgetColumnsStillLineUp) {
  EXPECT_EQ(
      text(sample_query(), 110),
      "05:04:05      8 app      shop      123µs      -      -      -      - -               1 "
      "select 1\n");
  EXPECT_THAT(written(FormatOptions{}, sample_with_budget()), EndsWith("123µs      1 select 1\n"))
      << "not asked for";
}

TEST_F(BudgetTextTest, AnUnexplainedRestIsNeverHidden) {
  model::Query query = sample_with_budget();
  query.blocker.reset();
  query.duration_ns = 10'000'000;
  query.budget->unexplained_ns = 100'000;
  EXPECT_THAT(text(query, 80), Not(HasSubstr("unexplained"))) << "1 %";
  query.budget->unexplained_ns = 100'001;
  EXPECT_THAT(text(query, 80), HasSubstr(" 1 [unexplained 100µs] …\n"));
  EXPECT_THAT(text(query), Not(HasSubstr("[unexplained"))) << "it has a column";
  EXPECT_THAT(text(query), HasSubstr("  100µs CRLLL?????"));

  query.duration_ns = 100'000;
  query.budget->unexplained_ns = 20'000;
  EXPECT_THAT(text(query, 80), Not(HasSubstr("[unexplained"))) << "20 µs";
  query.budget->unexplained_ns = 20'001;
  EXPECT_THAT(text(query, 80), HasSubstr("[unexplained 20µs]"));
}

TEST_F(BudgetTextTest, NamesTheBlockerAsFarAsItIsKnown) {
  model::Query query = sample_with_budget();
  query.blocker->query->append(", b = 2 where id in (1, 2, 3)");
  query.blocker->query_length = query.blocker->query->size();
  EXPECT_THAT(text(query),
              HasSubstr(" [blocked by #9: update orders set a = 1, b = 2 where id…] select"));
  query.blocker->query = "update";
  query.blocker->query_length = 2000;
  EXPECT_THAT(text(query), HasSubstr(" [blocked by #9: update…] "));
  query.blocker->query = "set password = 'hunter2'";
  query.blocker->query_length = 24;
  EXPECT_THAT(text(query), HasSubstr("#9: set password = '<redacted>'] select 1"));
  query.blocker->query.reset();
  EXPECT_THAT(text(query), HasSubstr(" [blocked by #9] "));
  query.blocker->connection_id.reset();
  query.blocker->thread = "ib_log_flush";
  EXPECT_THAT(text(query), HasSubstr(" [blocked by background ib_log_flush] "));
  query.duration_ns = 10 * query.blocker->waited_ns + 10;
  EXPECT_THAT(text(query), Not(HasSubstr("[blocked by"))) << "hardly";
  query.blocker->query = "update";
  query.blocker->connection_id = 9;
  EXPECT_THAT(text(query), Not(HasSubstr("[blocked by"))) << "whoever it was";
  query.duration_ns = 10 * query.blocker->waited_ns;
  query.blocker->connection_id.reset();
  EXPECT_THAT(text(query), HasSubstr(" [blocked by thread ib_log_flush: update…] "));
}

TEST_F(BudgetTextTest, NamesBlockersWithoutAQueryOfTheirOwn) {
  model::Query query = sample_with_budget();
  query.blocker->idle = true;
  EXPECT_THAT(text(query), HasSubstr(" [blocked by #9, idle in transaction: update orders"));
  query.blocker->idle = false;
  query.blocker->query.reset();
  query.blocker->connection_id.reset();
  query.blocker->title = "postgres: checkpointer";
  EXPECT_THAT(text(query), HasSubstr(" [blocked by background postgres: checkpointer] "));
}

TEST_F(BudgetTextTest, NamesWhatTookMostOfTheTime) {
  model::Query query = sample_with_budget();
  query.blocker.reset();
  query.named_waits.emplace();
  EXPECT_THAT(text(query), EndsWith(" 1 select 1\n"));
  query.named_waits->waits = {{{"Lock", "tuple"}, query.duration_ns / 2, 1}};
  EXPECT_THAT(text(query), EndsWith(" 1 [Lock:tuple] select 1\n"));
  EXPECT_THAT(text(query, 80), EndsWith(" 1 select 1\n")) << "no room";
  query.named_waits->waits[0].ns -= 1;
  EXPECT_THAT(text(query), EndsWith(" 1 select 1\n"));

  query.running = true;
  query.waits_for = model::WaitEvent{"IO", "DataFileRead"};
  EXPECT_THAT(written(FormatOptions{}, query), HasSubstr(" [IO:DataFileRead] select 1\n"));
}

TEST_F(BudgetTextTest, TheBlockerLeavesRoomForTheQuery) {
  model::Query query = sample_with_budget();
  set_text(query, "select a from orders for update");
  EXPECT_THAT(text(query, 100),
              EndsWith("CCRRLLLLLL      1 [blocked by #9: update ord…] select a fr…\n"));
  EXPECT_THAT(text(query, 80), EndsWith("CCRRLLLLLL      1 [blocked by #9] sele…\n"));
}

TEST_F(BudgetTextTest, ABarIsSharedOutByTime) {
  model::Budget budget;
  EXPECT_EQ(bar(budget), "");
  budget.unexplained_ns = 1;
  EXPECT_EQ(bar(budget), "??????????");
  budget = {};
  const auto set = [&budget](Cause cause, uint64_t ns) {
    budget.by_cause_ns[static_cast<size_t>(cause)] = ns;
  };
  set(Cause::OnCpu, 96);
  set(Cause::Fsync, 4);
  EXPECT_EQ(bar(budget), "CCCCCCCCCC");
  set(Cause::OnCpu, 94);
  set(Cause::Fsync, 6);
  EXPECT_EQ(bar(budget), "CCCCCCCCCF");
  set(Cause::Fsync, 0);
  set(Cause::OnCpu, 1);
  set(Cause::Network, 1);
  set(Cause::Sleep, 1);
  EXPECT_EQ(bar(budget), "CCCCNNNZZZ") << "the same for all, the rest to the first";
  set(Cause::GroupCommit, 3);
  EXPECT_EQ(bar(budget, 6), "CLLLNZ");
  budget.by_cause_ns.fill(UINT64_MAX);
  budget.unexplained_ns = UINT64_MAX;
  EXPECT_EQ(bar(budget, 20).size(), 20u);
}

TEST_F(BudgetTextTest, ColoursStandBehindTheLetters) {
  model::Budget budget;
  budget.by_cause_ns[0] = 1;
  budget.unexplained_ns = 1;
  EXPECT_EQ(bar(budget, 2, true), std::string(name_of(Cause::OnCpu).color) + "C\x1b[0m" +
                                      std::string(UnexplainedName::color) + "?\x1b[0m");
}

}  // namespace
}  // namespace dbtrace::output
