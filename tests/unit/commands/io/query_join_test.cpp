#include "src/commands/io/query_join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/unit/commands/io/samples.h"

namespace dbtrace::commands {
namespace {

using model::FileOperation;
using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class QueryJoinTest : public ::testing::Test {
 protected:
  // An operation of the command that started at this time.
  static model::IoOperation operation(uint64_t start) {
    model::IoOperation operation = sample_operation(FileOperation::Read, 1000);
    operation.command_start_ns = start;
    return operation;
  }
  static model::Query command(uint64_t start, const std::string& text, bool running = false) {
    model::Query query = sample_command(text);
    query.start_ns = start;
    query.running = running;
    return query;
  }
  void pass(milliseconds time) { now_ += time; }

  static constexpr size_t kMost = 1000;

  QueryJoin::Clock::time_point now_{std::chrono::hours(1)};
  std::vector<std::string> told_;
  QueryJoin join_{[this](const model::IoOperation&, const model::Query* query) {
                    told_.push_back(query ? query->text : "unknown");
                  },
                  kMost};
};

TEST_F(QueryJoinTest, OperationsWaitForTheEndOfTheirCommand) {
  join_.add(operation(1), now_);
  join_.add(operation(2), now_);
  join_.add(operation(1), now_);
  EXPECT_THAT(told_, IsEmpty());
  join_.command(command(1, "one"), now_);
  EXPECT_THAT(told_, ElementsAre("one", "one"));
  join_.command(command(2, "two"), now_);
  EXPECT_THAT(told_, ElementsAre("one", "one", "two"));
  EXPECT_EQ(join_.unknown(), 0U);
}

TEST_F(QueryJoinTest, AnotherProcessMayStartACommandInTheSameMoment) {
  join_.add(operation(1), now_);
  model::Query other = command(1, "another server's");
  other.pid = 99;
  join_.command(other, now_);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(QueryJoinTest, ACommandMayEndInAnotherThread) {
  join_.add(operation(1), now_);
  model::Query resumed = command(1, "commit");
  resumed.tid = 1234;
  join_.command(resumed, now_);
  EXPECT_THAT(told_, ElementsAre("commit"));
}

TEST_F(QueryJoinTest, AfterASecondALookTellsWhatRuns) {
  join_.add(operation(1), now_);
  EXPECT_FALSE(join_.wants_look(now_));
  pass(milliseconds(999));
  EXPECT_FALSE(join_.wants_look(now_));
  pass(milliseconds(1));
  ASSERT_TRUE(join_.wants_look(now_));
  join_.command(command(1, "long", true), now_);
  join_.looked(now_);
  EXPECT_THAT(told_, ElementsAre("long"));
  // From now on it is known.
  join_.add(operation(1), now_);
  EXPECT_THAT(told_, ElementsAre("long", "long"));
  EXPECT_FALSE(join_.wants_look(now_ + std::chrono::hours(1)));
}

TEST_F(QueryJoinTest, AnOperationMayOutlastItsCommand) {
  join_.command(command(1, "reads ahead"), now_);
  pass(milliseconds(500));
  join_.looked(now_);
  join_.add(operation(1), now_);
  EXPECT_THAT(told_, ElementsAre("reads ahead"));
  pass(milliseconds(500));
  join_.looked(now_);
  join_.add(operation(1), now_);
  EXPECT_THAT(told_, SizeIs(1)) << "not for long";
}

TEST_F(QueryJoinTest, OfTooManyCommandsTheEndedOnesAreForgottenFirst) {
  join_.command(command(1, "runs", true), now_);
  for (uint64_t i = 0; i < 3 * QueryJoin::kCommandsMax; ++i)
    join_.command(command(1'000'000 + i, "ended"), now_);
  join_.add(operation(1), now_);
  EXPECT_THAT(told_, ElementsAre("runs"));
}

TEST_F(QueryJoinTest, WhatTwoLooksDoNotTellIsUnknown) {
  join_.add(operation(1), now_);
  pass(milliseconds(1000));
  join_.looked(now_);
  EXPECT_THAT(told_, IsEmpty()) << "its end may be on its way";
  EXPECT_FALSE(join_.wants_look(now_ + milliseconds(500))) << "not all the time";
  pass(milliseconds(1000));
  ASSERT_TRUE(join_.wants_look(now_));
  join_.looked(now_);
  EXPECT_THAT(told_, ElementsAre("unknown"));
  EXPECT_EQ(join_.unknown(), 1U);
  EXPECT_FALSE(join_.wants_look(now_ + std::chrono::hours(1)));
}

TEST_F(QueryJoinTest, ARunningCommandThatIsSeenNoMoreIsForgotten) {
  join_.command(command(1, "lost", true), now_);
  join_.looked(now_);
  join_.looked(now_);
  join_.add(operation(1), now_);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(QueryJoinTest, AtTheEndWhatWaitsIsUnknown) {
  join_.add(operation(1), now_);
  join_.add(operation(2), now_);
  join_.finish();
  EXPECT_THAT(told_, ElementsAre("unknown", "unknown"));
  join_.finish();
  EXPECT_THAT(told_, SizeIs(2));
}

TEST_F(QueryJoinTest, MemoryIsBounded) {
  for (uint64_t i = 0; i < 3 * kMost; ++i) join_.add(operation(i + 1), now_);
  EXPECT_THAT(told_, SizeIs(2 * kMost));
  EXPECT_THAT(told_, Each("unknown"));
  EXPECT_TRUE(join_.wants_look(now_)) << "many wait";
  for (uint64_t i = 0; i < 10 * QueryJoin::kCommandsMax; ++i)
    join_.command(command(1'000'000 + i, "", true), now_);
  join_.finish();
  EXPECT_EQ(join_.unknown(), 3 * kMost);
}

}  // namespace
}  // namespace dbtrace::commands
