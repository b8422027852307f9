#include "src/commands/diff/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace dbtrace::commands {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// As `dbtrace histogram --save` writes it.
nlohmann::json kind(const std::string& id, uint64_t count, uint64_t ns) {
  return {{"id", id},
          {"text", "SELECT `" + id + "`"},
          {"count", count},
          {"total_ns", count * ns},
          {"max_ns", ns},
          {"histogram", {{ns, ns + ns / 32, count / 2}, {ns * 11 / 10, ns * 12 / 10, count / 2}}}};
}

nlohmann::json run_of(const std::vector<nlohmann::json>& kinds) {
  return {{"span", "total"},        {"by", "fingerprint"},
          {"fingerprint", "mysql"}, {"length_ns", 10'000'000'000},
          {"count", 100},           {"lost", 0},
          {"kinds_left_out", 0},    {"kinds", kinds}};
}

SavedRun parsed(const nlohmann::json& run) {
  auto result = parse_run(run.dump() + "\n", "run.json");
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? std::move(*result) : SavedRun();
}

std::string refusal(const std::string& bytes) {
  const auto result = parse_run(bytes, "run.json");
  return result ? "" : result.error().message;
}

TEST(SavedRun, IsReadAsItWasWritten) {
  nlohmann::json json = run_of({kind("a", 100, 64'000), kind("b", 10, 5)});
  json["lost"] = 3;
  const SavedRun run = parsed(json);
  EXPECT_EQ(run.by, "fingerprint");
  EXPECT_EQ(run.length_ns, 10'000'000'000U);
  EXPECT_EQ(run.lost, 3U);
  EXPECT_FALSE(run.incomplete);
  ASSERT_EQ(run.kinds.size(), 2U);
  EXPECT_EQ(run.kinds[0].id, "a");
  EXPECT_EQ(run.kinds[0].text, "SELECT `a`");
  EXPECT_EQ(run.kinds[0].measured.count, 100U);
  EXPECT_EQ(run.kinds[0].measured.mean_ns(), 64'000U);
  EXPECT_EQ(run.kinds[0].measured.durations.count(), 100U);
}

TEST(SavedRun, SlicesAreReadAndBounded) {
  nlohmann::json json = run_of({kind("a", 100, 64'000)});
  json["kinds"][0]["slices"] = {{{64'000, 40}, {70'000, 2}}, {{64'000, 58}}};
  const SavedRun run = parsed(json);
  const std::vector<kinds::Slice>& slices = run.kinds.at(0).measured.slices;
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[0].size(), 2U);
  EXPECT_EQ(slices[1][0].count, 58U);
  json["kinds"][0]["slices"] = std::vector<nlohmann::json>(1000, nlohmann::json::array());
  EXPECT_THAT(refusal(json.dump()), HasSubstr("more slices than there can be"));
}

TEST(SavedRun, TheLastLineCounts) {
  const auto run = parse_run(
      run_of({kind("a", 10, 1)}).dump() + "\n" + run_of({kind("b", 10, 1)}).dump() + "\n\n",
      "run.json");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->kinds.size(), 1U);
  EXPECT_EQ(run->kinds[0].id, "b");
}

TEST(SavedRun, IsIncompleteWhenKindsWereLeftOut) {
  nlohmann::json json = run_of({kind("a", 10, 1)});
  json["kinds_left_out"] = 2;
  EXPECT_TRUE(parsed(json).incomplete);
  EXPECT_TRUE(parsed(run_of({kind("other", 10, 1)})).incomplete);
}

TEST(SavedRun, WhatIsNoneIsRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("run.json is not a saved histogram"));
  EXPECT_THAT(refusal("{}"), HasSubstr("is not a saved histogram"));
  EXPECT_THAT(refusal("[1,2,3]"), HasSubstr("is not a saved histogram"));
  EXPECT_THAT(refusal("null"), HasSubstr("is not a saved histogram"));
  EXPECT_THAT(refusal(std::string(100'000, '[')), HasSubstr("is not a saved histogram"));
  nlohmann::json json = run_of({kind("a", 10, 1)});
  for (const char* member : {"by", "length_ns", "kinds", "lost", "kinds_left_out"}) {
    nlohmann::json without = json;
    without.erase(member);
    EXPECT_THAT(refusal(without.dump()), HasSubstr("is not a saved histogram")) << member;
  }
  for (const nlohmann::json& wrong :
       {nlohmann::json(-1), nlohmann::json(1.5), nlohmann::json("1"), nlohmann::json(1e300)}) {
    json["kinds"][0]["count"] = wrong;
    EXPECT_THAT(refusal(json.dump()), HasSubstr("is not a saved histogram")) << wrong;
  }
  json = run_of({kind("a", 10, 1)});
  json["kinds"][0]["histogram"] = {{1}};
  EXPECT_THAT(refusal(json.dump()), HasSubstr("is not a saved histogram"));
  json = run_of({});
  json["length_ns"] = 0;
  EXPECT_THAT(refusal(json.dump()), HasSubstr("about no time"));
}

TEST(SavedRun, TheGreatestNumbersDoNoHarm) {
  nlohmann::json json = run_of({kind("a", 10, 1)});
  json["kinds"][0]["count"] = UINT64_MAX;
  json["kinds"][0]["total_ns"] = UINT64_MAX;
  json["kinds"][0]["histogram"] = {{UINT64_MAX, UINT64_MAX, UINT64_MAX}, {0, 0, UINT64_MAX}};
  const auto comparison = compare_runs(parsed(json), parsed(json), {});
  ASSERT_TRUE(comparison);
  std::string out;
  DiffOptions options;
  options.all = true;
  append_diff_text(*comparison, options, 0, false, out);
  append_diff_json(*comparison, options, out);
  EXPECT_THAT(out, HasSubstr("1 same"));
}

class Diff : public ::testing::Test {
 protected:
  Comparison compared(DiffOptions options = {}) {
    auto comparison =
        compare_runs(parsed(run_of({kind("same", 100, 1'000'000), kind("slow", 100, 1'000'000),
                                    kind("gone", 100, 1'000'000), kind("rare", 4, 1'000'000)})),
                     parsed(run_of({kind("same", 100, 1'000'000), kind("slow", 100, 3'000'000),
                                    kind("new", 100, 500'000)})),
                     options);
    EXPECT_TRUE(comparison);
    return std::move(*comparison);
  }
  DiffOptions options_{.before = "a.json", .after = "b.json"};
};

TEST_F(Diff, TextTellsWhatChangedTheGreatestFirst) {
  std::string out;
  append_diff_text(compared(), options_, 0, false, out);
  EXPECT_THAT(out, HasSubstr("before a.json: 100 queries in 10.0s\n"));
  EXPECT_THAT(out, HasSubstr("5 kinds: 1 slower, 1 appeared, 1 vanished, 1 same, 1 too few\n"));
  EXPECT_THAT(out, HasSubstr("slower          100     100"));
  EXPECT_THAT(out, HasSubstr("+20.0ms/s SELECT `slow`\n"));
  EXPECT_THAT(out, HasSubstr("-10.0ms/s SELECT `gone`\n"));
  EXPECT_LT(out.find("SELECT `slow`"), out.find("SELECT `gone`"));
  EXPECT_LT(out.find("SELECT `gone`"), out.find("SELECT `new`"));
  EXPECT_THAT(out, Not(HasSubstr("SELECT `same`")));
  EXPECT_THAT(out, Not(HasSubstr("left out")));
}

TEST_F(Diff, NoPercentileIsMoreThanTheGreatest) {
  const Comparison comparison = compared();
  std::string out;
  append_diff_json(comparison, options_, out);
  for (const nlohmann::json& kind : nlohmann::json::parse(out).at("kinds"))
    for (const char* run : {"before", "after"})
      if (!kind.at(run).is_null()) {
        EXPECT_LE(kind[run].at("p50_ns"), kind[run].at("max_ns")) << kind;
        EXPECT_LE(kind[run].at("p99_ns"), kind[run].at("max_ns")) << kind;
      }
}

TEST_F(Diff, AllTellsOfTheOthersToo) {
  options_.all = true;
  std::string out;
  append_diff_text(compared(), options_, 0, false, out);
  EXPECT_THAT(out, HasSubstr("SELECT `same`"));
  EXPECT_THAT(out, HasSubstr("SELECT `rare`"));
}

TEST_F(Diff, JsonTellsTheSame) {
  std::string out;
  append_diff_json(compared(), options_, out);
  const nlohmann::json json = nlohmann::json::parse(out);
  EXPECT_EQ(json.at("before").at("file"), "a.json");
  ASSERT_EQ(json.at("kinds").size(), 3U);
  const nlohmann::json& slow = json.at("kinds")[0];
  EXPECT_EQ(slow.at("id"), "slow");
  EXPECT_EQ(slow.at("verdict"), "slower");
  EXPECT_LT(slow.at("p"), 0.01);
  EXPECT_EQ(slow.at("superiority"), 1);
  EXPECT_NEAR(slow.at("seconds_per_second").get<double>(), 0.02, 1e-9);
  EXPECT_EQ(slow.at("before").at("count"), 100);
  EXPECT_EQ(slow.at("after").at("mean_ns"), 3'000'000);
  EXPECT_EQ(json.at("kinds")[1].at("verdict"), "vanished");
  EXPECT_TRUE(json.at("kinds")[1].at("after").is_null());
}

TEST_F(Diff, HostileTextIsHarmless) {
  nlohmann::json hostile = kind("x", 100, 1000);
  hostile["text"] = "\x1b[31m\nslower 1 \u202e\"";
  const auto comparison = compare_runs(parsed(run_of({})), parsed(run_of({hostile})), options_);
  ASSERT_TRUE(comparison);
  std::string text, json;
  append_diff_text(*comparison, options_, 0, false, text);
  append_diff_json(*comparison, options_, json);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(text, Not(HasSubstr("\nslower")));
  EXPECT_TRUE(nlohmann::json::accept(json));
}

TEST_F(Diff, RunsThatTellKindsDifferentlyAreRefused) {
  nlohmann::json other = run_of({});
  other["by"] = "table";
  const auto comparison = compare_runs(parsed(run_of({})), parsed(other), options_);
  ASSERT_FALSE(comparison);
  EXPECT_THAT(comparison.error().message, HasSubstr("different ways"));
}

TEST_F(Diff, WhatWasLeftOutIsSaid) {
  nlohmann::json partial = run_of({kind("a", 100, 1000)});
  partial["kinds_left_out"] = 7;
  partial["lost"] = 5;
  const auto comparison = compare_runs(parsed(partial), parsed(run_of({})), options_);
  std::string out;
  append_diff_text(*comparison, options_, 0, false, out);
  EXPECT_THAT(out, HasSubstr("some kinds were left out"));
  EXPECT_THAT(out, HasSubstr("5 more were lost"));
}

}  // namespace
}  // namespace dbtrace::commands
