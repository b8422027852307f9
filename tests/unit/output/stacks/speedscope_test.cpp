#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/output/stacks/sample_profile.h"

namespace dbtrace::output {
namespace {

using model::Cause;
using nlohmann::json;
using stacks::sample;
using ::testing::ElementsAre;

class Speedscope : public ::testing::Test {
 protected:
  json file(const std::vector<model::StackProfile>& profiles) {
    return json::parse(written({.format = StackFormat::Speedscope}, table_, profiles));
  }

  stacks::FrameTable table_;
};

// The stacks of a profile, as folded ones.
std::vector<std::string> stacks_of(const json& file, size_t profile) {
  std::vector<std::string> texts;
  for (const json& stack : file.at("profiles").at(profile).at("samples")) {
    std::string& text = texts.emplace_back();
    for (const json& frame : stack) {
      if (!text.empty()) text += ';';
      text += file.at("shared").at("frames").at(frame.get<size_t>()).at("name");
    }
  }
  return texts;
}

// What the format's schema asks of a file with sampled profiles.
void expect_valid(const json& file) {
  EXPECT_EQ(file.at("$schema"), "https://www.speedscope.app/file-format-schema.json");
  EXPECT_TRUE(file.at("exporter").is_string());
  EXPECT_TRUE(file.at("name").is_string());
  const json& frames = file.at("shared").at("frames");
  for (const json& frame : frames) {
    EXPECT_TRUE(frame.at("name").is_string());
    EXPECT_TRUE(!frame.contains("file") || frame["file"].is_string());
    EXPECT_TRUE(!frame.contains("line") || frame["line"].is_number_unsigned());
  }
  for (const json& profile : file.at("profiles")) {
    EXPECT_EQ(profile.at("type"), "sampled");
    EXPECT_TRUE(profile.at("name").is_string());
    EXPECT_EQ(profile.at("unit"), "nanoseconds");
    EXPECT_EQ(profile.at("startValue"), 0);
    uint64_t sum = 0;
    for (const json& weight : profile.at("weights")) sum += weight.get<uint64_t>();
    EXPECT_EQ(profile.at("endValue"), sum);
    ASSERT_EQ(profile.at("weights").size(), profile.at("samples").size());
    for (const json& stack : profile.at("samples"))
      for (const json& frame : stack) EXPECT_LT(frame.get<size_t>(), frames.size());
  }
  EXPECT_EQ(file.size(), 6);
}

TEST_F(Speedscope, HasAllStacksThoseOnTheCoreAndThoseWaiting) {
  model::StackProfile profile = sample_profile(table_);
  std::swap(profile.samples[0], profile.samples[2]);  // it is the order of time that counts
  const json file = this->file({profile});
  expect_valid(file);
  ASSERT_EQ(file.at("profiles").size(), 3);
  EXPECT_EQ(file["profiles"][0]["name"], "select 1 (in order of time)");
  const std::string wait = "main;execute;scan;fetch;pread;read_[k];wait_[k];[file read]";
  EXPECT_THAT(stacks_of(file, 0), ElementsAre("main;execute;scan", wait, "main;execute;sort"));
  EXPECT_EQ(file["profiles"][0]["weights"], json({30'000'000, 39'000'000, 30'000'000}));
  EXPECT_EQ(file["profiles"][1]["name"], "select 1 (on the core)");
  EXPECT_THAT(stacks_of(file, 1), ElementsAre("main;execute;scan", "main;execute;sort"));
  EXPECT_EQ(file["profiles"][2]["name"], "select 1 (waiting)");
  EXPECT_THAT(stacks_of(file, 2), ElementsAre(wait));
}

TEST_F(Speedscope, QueriesShareTheirFrames) {
  const json file = this->file({sample_profile(table_), sample_profile(table_)});
  expect_valid(file);
  EXPECT_EQ(file.at("profiles").size(), 6);
  EXPECT_EQ(file.at("shared").at("frames").size(), 9);
}

TEST_F(Speedscope, TellsFilesAndLines) {
  model::Frame line = stacks::function("f");
  line.source = "a.cc:7";
  model::Frame odd = stacks::function("g");
  odd.source = "a:b";
  model::StackProfile profile;
  profile.samples = {sample(table_, "", 1)};
  profile.samples[0].frames = {table_.intern(line), table_.intern(odd),
                               table_.intern(stacks::function("h"))};
  const json file = this->file({profile});
  expect_valid(file);
  std::map<std::string, json> frames;
  for (const json& frame : file["shared"]["frames"]) frames[frame["name"]] = frame;
  EXPECT_EQ(frames.at("f (a.cc:7)").at("file"), "a.cc");
  EXPECT_EQ(frames.at("f (a.cc:7)").at("line"), 7);
  EXPECT_EQ(frames.at("g (a:b)").at("file"), "a:b");
  EXPECT_FALSE(frames.at("g (a:b)").contains("line"));
  EXPECT_EQ(frames.at("h").at("file"), "mariadbd");
}

TEST_F(Speedscope, IsAFileWithoutQueries) { expect_valid(file({})); }

TEST_F(Speedscope, IsJsonWhateverTextsHold) {
  model::StackProfile profile;
  profile.text = std::string("a\0\"\xff\u202e", 7);
  profile.samples = {sample(table_, "", 1)};
  profile.samples[0].frames = {table_.intern(stacks::function("x\n\"\xfe"))};
  const json file = this->file({profile});
  expect_valid(file);
  EXPECT_EQ(file["profiles"][1]["name"], "a\\x00\"\\xff\\u202e (on the core)");
  EXPECT_THAT(stacks_of(file, 1), ElementsAre("x \"\\xfe"));
}

TEST_F(Speedscope, HasNoPasswords) {
  model::StackProfile profile = sample_profile(table_);
  profile.text = "set password = 'secret'";
  EXPECT_EQ(file({profile}).dump().find("secret"), std::string::npos);
}

}  // namespace
}  // namespace dbtrace::output
