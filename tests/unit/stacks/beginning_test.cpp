#include "src/stacks/beginning.h"

#include <gtest/gtest.h>

#include "tests/unit/stacks/samples.h"

namespace dbtrace::stacks {
namespace {

std::vector<model::Sample> one(model::Sample sample) { return {std::move(sample)}; }

TEST(StackBeginning, DropsWhatIsOutsideTheOutermostCall) {
  FrameTable table;
  auto samples = one(sample(table, "start;do_command;dispatch;run;dispatch;read", 1));
  EXPECT_EQ(begin_at("dispatch", samples, table), 0);
  EXPECT_EQ(text_of(table, samples[0].frames), "dispatch;run;dispatch;read");
  EXPECT_TRUE(samples[0].whole);
}

TEST(StackBeginning, AStackThatBrokeOffFurtherOutIsWholeThen) {
  FrameTable table;
  auto samples = one(sample(table, "[broken off];do_command;dispatch;run", 1));
  samples[0].whole = false;
  EXPECT_EQ(begin_at("dispatch", samples, table), 0);
  EXPECT_EQ(text_of(table, samples[0].frames), "dispatch;run");
  EXPECT_TRUE(samples[0].whole);
}

TEST(StackBeginning, SaysSoWhereTheFunctionIsNotInTheStack) {
  FrameTable table;
  std::vector<model::Sample> samples = {sample(table, "start;read_packet", 1),
                                        sample(table, "start;dispatch_more", 1),
                                        sample(table, "start;dispatch", 1)};
  EXPECT_EQ(begin_at("dispatch", samples, table), 2);
  EXPECT_EQ(text_of(table, samples[0].frames), "[not in dispatch];start;read_packet");
  EXPECT_EQ(text_of(table, samples[1].frames), "[not in dispatch];start;dispatch_more");
  EXPECT_EQ(text_of(table, samples[2].frames), "dispatch");
}

TEST(StackBeginning, DoesNotClaimThatAPartIsOutside) {
  FrameTable table;
  auto samples = one(sample(table, "run;read", 1));
  samples[0].whole = false;
  EXPECT_EQ(begin_at("dispatch", samples, table), 1);
  EXPECT_EQ(text_of(table, samples[0].frames), "run;read");
  EXPECT_FALSE(samples[0].whole);
}

TEST(StackBeginning, NoMarkerIsAFunction) {
  FrameTable table;
  auto samples = one(sample(table, "[odd];run", 1));
  EXPECT_EQ(begin_at("[odd]", samples, table), 1);
}

TEST(StackBeginning, MarksWhatBrokeOffOnce) {
  FrameTable table;
  model::Sample part = sample(table, "run;read", 1);
  EXPECT_EQ(text_of(table, marked_frames(part, table)), "run;read");
  part.whole = false;
  EXPECT_EQ(text_of(table, marked_frames(part, table)), "[broken off];run;read");
  part.frames = marked_frames(part, table);
  EXPECT_EQ(text_of(table, marked_frames(part, table)), "[broken off];run;read");
  part.frames.clear();
  EXPECT_EQ(text_of(table, marked_frames(part, table)), "[broken off]");
}

}  // namespace
}  // namespace dbtrace::stacks
