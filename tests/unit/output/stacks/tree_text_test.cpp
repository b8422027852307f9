#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/output/stacks/sample_profile.h"

namespace dbtrace::output {
namespace {

using model::Cause;
using stacks::sample;
using ::testing::HasSubstr;

class TreeText : public ::testing::Test {
 protected:
  std::string text(const model::StackProfile& profile, size_t width = 0, bool color = false) {
    return written({.width = width, .color = color}, table_, profile);
  }
  // Only the tree of samples.
  std::string tree(std::vector<model::Sample> samples) {
    model::StackProfile profile;
    profile.samples = std::move(samples);
    std::string lines = text(profile);
    for (int heading = 0; heading < 3; ++heading) lines.erase(0, lines.find('\n') + 1);
    lines.pop_back();
    return lines;
  }

  stacks::FrameTable table_;
};

TEST_F(TreeText, SaysWhatTheQueryWasAndWhereItsTimeWent) {
  EXPECT_EQ(text(sample_profile(table_)),
            "select 1\n"
            "100ms CCCCCCCCCCCCRRRRRRRR C cpu 60ms R read 39ms ? unexplained 1.0ms\n"
            "   TIME SHARE 3 stacks, 99.0ms\n"
            " 99.0ms  100% main\n"
            "              execute\n"
            " 69.0ms   70% ├ scan [on cpu 30.0ms]\n"
            " 39.0ms   39% │ fetch\n"
            "              │ pread\n"
            "              │ read [kernel]\n"
            "              │ wait [kernel] [file read]\n"
            " 30.0ms   30% └ sort\n"
            "\n");
}

TEST_F(TreeText, SaysHowManyQueriesAKindIs) {
  model::StackProfile profile = sample_profile(table_);
  profile.queries = 12;
  EXPECT_THAT(text(profile), ::testing::StartsWith("12 queries: select 1\n"));
}

TEST_F(TreeText, ATrunkStaysInItsColumn) {
  EXPECT_EQ(
      tree({sample(table_, "a;b;c", 800), sample(table_, "a;x;y", 110), sample(table_, "a;z", 90)}),
      " 1.00µs  100% a\n"
      "  110ns   11% ├ x\n"
      "              │ y\n"
      "   90ns    9% ├ z\n"
      "  800ns   80% b\n"
      "              c\n");
}

TEST_F(TreeText, CountsWhatIsLight) {
  std::vector<model::Sample> samples = {sample(table_, "a;b", 500), sample(table_, "a;c", 482),
                                        sample(table_, "a;d", 9), sample(table_, "a;e", 9)};
  EXPECT_EQ(tree(samples),
            " 1.00µs  100% a\n"
            "  500ns   50% ├ b\n"
            "  482ns   48% ├ c\n"
            "   18ns    2% └ … 2 more\n");
  samples[1].ns = 0;
  samples[0].ns = 982;
  EXPECT_EQ(tree(samples),
            " 1.00µs  100% a [3 more below]\n"
            "  982ns   98% b\n");
}

TEST_F(TreeText, CountsLightRoots) {
  EXPECT_EQ(tree({sample(table_, "a", 995), sample(table_, "b", 5)}),
            "    5ns    0% ├ … 1 more\n"
            "  995ns  100% a\n");
}

TEST_F(TreeText, StaysNarrowWhereStacksAreDeep) {
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "f" + std::to_string(i) + ';';
  const std::string lines = tree({sample(table_, deep, 10)});
  EXPECT_THAT(lines, HasSubstr("\n              f299\n"));
}

TEST_F(TreeText, FitsATerminal) {
  model::StackProfile profile = sample_profile(table_);
  profile.text = "select a, b, c, d from t";
  EXPECT_EQ(text(profile, 20),
            "select a, b, c, d f…\n"
            "100ms CCCCCCCCCCCCR…\n"
            "   TIME SHARE 3 sta…\n"
            " 99.0ms  100% main\n"
            "              execu…\n"
            " 69.0ms   70% ├ scan\n"
            " 39.0ms   39% │ fet…\n"
            "              │ pre…\n"
            "              │ read\n"
            "              │ wait\n"
            " 30.0ms   30% └ sort\n"
            "\n");
}

TEST_F(TreeText, MarksWhatBrokeOff) {
  model::StackProfile profile;
  profile.samples = {sample(table_, "a", 1), sample(table_, "b", 1)};
  profile.samples[1].whole = false;
  profile.samples[1].count = 5;
  EXPECT_THAT(text(profile), HasSubstr("6 stacks, 2ns [5 broken off]\n"));
  EXPECT_THAT(text(profile), HasSubstr("50% ├ a\n    1ns   50% └ [broken off]\n"));
}

TEST_F(TreeText, MarksInlinedFunctionsAndLines) {
  model::Frame frame = stacks::function("run");
  frame.kind = model::Frame::Kind::Inlined;
  frame.source = "a.cc:7";
  model::Sample inlined = sample(table_, "", 1);
  inlined.frames = {table_.intern(frame)};
  EXPECT_EQ(tree({inlined}), "    1ns  100% run [inlined] a.cc:7\n");
}

TEST_F(TreeText, TellsSeveralCausesOfOneFunction) {
  EXPECT_EQ(tree({sample(table_, "a", 10), sample(table_, "a", 30, Cause::RowLock)}),
            "   40ns  100% a [row lock 30ns] [on cpu 10ns]\n");
}

TEST_F(TreeText, SaysWhenThereAreNoStacks) {
  model::StackProfile profile;
  profile.duration_ns = 5;
  EXPECT_EQ(text(profile), "(no text)\n5ns\nno stacks\n\n");
  profile.samples = {sample(table_, "a", 0)};
  EXPECT_EQ(text(profile), "(no text)\n5ns\nno stacks\n\n");
}

TEST_F(TreeText, HasColorsOnlyWhenAsked) {
  const model::StackProfile profile = sample_profile(table_);
  EXPECT_EQ(text(profile).find('\x1b'), std::string::npos);
  const std::string colored = text(profile, 80, true);
  EXPECT_THAT(colored, HasSubstr("\x1b[2m│ \x1b[0m\x1b[2mread\x1b[0m \x1b[2m[kernel]\x1b[0m\n"));
  EXPECT_THAT(colored, HasSubstr("\x1b[30;46m[file read]\x1b[0m\n"));
}

TEST_F(TreeText, NoNameControlsTheTerminal) {
  model::StackProfile profile;
  profile.text = "a\x1b[2J\nb";
  profile.samples = {sample(table_, "", 1)};
  profile.samples[0].frames = {table_.intern(stacks::function("x\x1b]0;\n\u202e\xff"))};
  EXPECT_EQ(text(profile),
            "a\\x1b[2J b\n"
            "0ns\n"
            "   TIME SHARE 1 stack, 1ns\n"
            "    1ns  100% x\\x1b]0; \\u202e\\xff\n"
            "\n");
}

TEST_F(TreeText, HasNoPasswords) {
  model::StackProfile profile = sample_profile(table_);
  profile.text = "set password = 'secret'";
  EXPECT_EQ(text(profile).find("secret"), std::string::npos);
}

}  // namespace
}  // namespace dbtrace::output
