#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/output/stacks/sample_profile.h"

namespace dbtrace::output {
namespace {

using model::Cause;
using nlohmann::json;
using stacks::sample;

class StackJson : public ::testing::Test {
 protected:
  std::string line(const model::StackProfile& profile) {
    return written({.format = StackFormat::Json}, table_, profile);
  }

  stacks::FrameTable table_;
};

TEST_F(StackJson, HasAllMembers) {
  model::StackProfile profile = sample_profile(table_);
  profile.queries = 3;
  profile.samples.resize(2);
  profile.samples[1].frames = stacks::frames_of(table_, "main;read_[k]");
  profile.samples[1].frames.push_back(table_.intern(stacks::function("f", 0x12)));
  profile.samples[1].whole = false;
  const std::string main = R"({"name":"main","module":"mariadbd","offset":null,"kind":"user"})";
  EXPECT_EQ(
      line(profile),
      R"({"query":"select 1","queries":3,"duration_ns":100000000,"budget":{"on_cpu_ns":60000000,)"
      R"("runqueue_ns":0,"file_read_ns":39000000,"file_write_ns":0,"fsync_ns":0,"lock_ns":0,)"
      R"("network_ns":0,"sleep_ns":0,"other_ns":0,"unexplained_ns":1000000,)"
      R"("voluntary_switches":0,"involuntary_switches":0,"locks":{}},"stacks":[)"
      R"({"ns":39000000,"count":1,"cause":"file_read","whole":false,"frames":[)" +
          main +
          R"(,{"name":"read","module":"[kernel]","offset":null,"kind":"kernel"},)"
          R"({"name":"f","module":"mariadbd","offset":18,"kind":"user"}]},)"
          R"({"ns":30000000,"count":1,"cause":"on_cpu","whole":true,"frames":[)" +
          main +
          R"(,{"name":"execute","module":"mariadbd","offset":null,"kind":"user"},)"
          R"({"name":"scan","module":"mariadbd","offset":null,"kind":"user"}]}]})"
          "\n");
}

TEST_F(StackJson, MergesStacksThatAreTheSame) {
  model::StackProfile profile;
  profile.samples = {sample(table_, "a;b", 1), sample(table_, "a;b", 2, Cause::Sleep),
                     sample(table_, "a;b", 4), sample(table_, "a", 8), sample(table_, "a;b", 16)};
  profile.samples[4].whole = false;
  profile.samples[2].count = 9;
  const json stacks = json::parse(line(profile)).at("stacks");
  ASSERT_EQ(stacks.size(), 4);
  EXPECT_EQ(stacks[0].at("ns"), 16);
  EXPECT_EQ(stacks[0].at("whole"), false);
  EXPECT_EQ(stacks[1].at("ns"), 8);
  EXPECT_EQ(stacks[2].at("ns"), 5);
  EXPECT_EQ(stacks[2].at("count"), 10);
  EXPECT_EQ(stacks[3].at("cause"), "sleep");
}

TEST_F(StackJson, TellsOffsetsApart) {
  model::StackProfile profile;
  profile.samples = {sample(table_, "", 1), sample(table_, "", 1)};
  profile.samples[0].frames = {table_.intern(stacks::function("f", 1))};
  profile.samples[1].frames = {table_.intern(stacks::function("f", 2))};
  EXPECT_EQ(json::parse(line(profile)).at("stacks").size(), 2);
}

TEST_F(StackJson, HasSourceLinesWhereTheyAreKnown) {
  model::Frame frame = stacks::function("f");
  frame.source = "a.cc:7";
  frame.kind = model::Frame::Kind::Inlined;
  model::StackProfile profile;
  profile.samples = {sample(table_, "", 1)};
  profile.samples[0].frames = {table_.intern(frame)};
  const json written = json::parse(line(profile)).at("stacks").at(0).at("frames").at(0);
  EXPECT_EQ(written.at("source"), "a.cc:7");
  EXPECT_EQ(written.at("kind"), "inlined");
}

TEST_F(StackJson, IsALineAProfileWhateverItsTextHolds) {
  model::StackProfile profile;
  profile.text = std::string("a\0\"\n\xff</script>", 14);
  profile.samples = {sample(table_, "", 1)};
  profile.samples[0].frames = {table_.intern(stacks::function("x\n\"\xfe"))};
  const std::string two = written({.format = StackFormat::Json}, table_, {profile, profile});
  EXPECT_EQ(std::ranges::count(two, '\n'), 2);
  const json first = json::parse(two.substr(0, two.find('\n')));
  EXPECT_EQ(first.at("query"), std::string("a\0\"\n\ufffd</script>", 16));
  EXPECT_EQ(first.at("query_base64"), "YQAiCv88L3NjcmlwdD4=");
  EXPECT_EQ(first.at("stacks").at(0).at("frames").at(0).at("name"), "x\n\"\ufffd");
}

TEST_F(StackJson, HasNoPasswords) {
  model::StackProfile profile;
  profile.text = "set password = 'secret'";
  EXPECT_EQ(line(profile).find("secret"), std::string::npos);
  EXPECT_EQ(json::parse(line(profile)).at("redacted"), true);
}

}  // namespace
}  // namespace dbtrace::output
