#include <gtest/gtest.h>

#include "tests/unit/output/stacks/sample_profile.h"

namespace dbtrace::output {
namespace {

using model::Cause;
using stacks::sample;

class Folded : public ::testing::Test {
 protected:
  std::string folded(const model::StackProfile& profile) {
    return written({.format = StackFormat::Folded}, table_, profile);
  }
  std::string folded(std::vector<model::Sample> samples) {
    model::StackProfile profile;
    profile.text = "q";
    profile.samples = std::move(samples);
    return folded(profile);
  }

  stacks::FrameTable table_;
};

TEST_F(Folded, HasALineAStackInMicroseconds) {
  EXPECT_EQ(folded(sample_profile(table_)),
            "select 1;main;execute;scan 30000\n"
            "select 1;main;execute;scan;fetch;pread;read_[k];wait_[k];[file read] 39000\n"
            "select 1;main;execute;sort 30000\n");
}

TEST_F(Folded, MergesStacksAndTellsCausesApart) {
  EXPECT_EQ(folded({sample(table_, "a;b", 1'000), sample(table_, "a;b", 2'000, Cause::RowLock),
                    sample(table_, "a;b", 3'000), sample(table_, "a", 5'000, Cause::RunQueue)}),
            "q;a;[runqueue] 5\n"
            "q;a;b 4\n"
            "q;a;b;[row lock] 2\n");
}

TEST_F(Folded, RoundsAndLeavesOutWhatIsNothing) {
  EXPECT_EQ(folded({sample(table_, "a", 499), sample(table_, "b", 500), sample(table_, "c", 1'499),
                    sample(table_, "d", 1'500)}),
            "q;b 1\nq;c 1\nq;d 2\n");
}

TEST_F(Folded, KeepsSeveralQueriesApart) {
  model::StackProfile profile = sample_profile(table_);
  profile.samples = {sample(table_, "a", 1'000)};
  model::StackProfile other = profile;
  other.text = "update t";
  EXPECT_EQ(written({.format = StackFormat::Folded}, table_, {profile, other}),
            "select 1;a 1\nupdate t;a 1\n");
}

TEST_F(Folded, MarksInlinedFunctionsLinesAndBrokenStacks) {
  model::Frame frame = stacks::function("run");
  frame.kind = model::Frame::Kind::Inlined;
  frame.source = "a.cc:7";
  model::Sample part;
  part.ns = 1'000;
  part.whole = false;
  part.frames = {table_.intern(frame)};
  EXPECT_EQ(folded({part}), "q;[broken off];run (a.cc:7)_[i] 1\n");
}

TEST_F(Folded, NoTextOrNameIsTakenForTheFormat) {
  model::StackProfile profile;
  profile.text = "select ';\n9\xff";
  profile.samples = {sample(table_, "", 1'000)};
  profile.samples[0].frames = {table_.intern(stacks::function("a;b\n\x1b[2Jc\u202e")),
                               table_.intern(stacks::function(""))};
  EXPECT_EQ(folded(profile), "select ', 9\\xff;a,b \\x1b[2Jc\\u202e; 1\n");
}

TEST_F(Folded, HasNoPasswords) {
  model::StackProfile profile = sample_profile(table_);
  profile.text = "set password = 'secret'";
  EXPECT_EQ(folded(profile).find("secret"), std::string::npos);
}

TEST_F(Folded, AQueryWithoutATextHasAName) {
  model::StackProfile profile;
  profile.samples = {sample(table_, "a", 1'000)};
  EXPECT_EQ(folded(profile), "(no text);a 1\n");
}

}  // namespace
}  // namespace dbtrace::output
