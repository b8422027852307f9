#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/report/html.h"
#include "src/report/json.h"
#include "tests/unit/report/samples.h"

namespace dbtrace::report {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ReportData, CellsAddUpToTheKinds) {
  const Collector all = shop(20'000);
  const json report = json::parse(page_data(about(600), all).report);
  std::vector<uint64_t> counts(report["kinds"].size()), totals(counts.size());
  for (const json& cell : report["cells"]) {
    counts[cell[1]] += cell[2].get<uint64_t>();
    totals[cell[1]] += cell[4].get<uint64_t>();
    uint64_t in_durations = 0, in_budget = 0;
    for (size_t i = 1; i < cell[6].size(); i += 2) in_budget += cell[6][i].get<uint64_t>();
    for (size_t i = 0; i < cell[7].size(); i += 2) {
      in_durations += cell[7][i + 1].get<uint64_t>();
      ASSERT_LT(cell[7][i].get<size_t>() + 1, report["least_ns"].size());
    }
    EXPECT_EQ(in_durations, cell[2].get<uint64_t>());
    EXPECT_EQ(in_budget, cell[4].get<uint64_t>());
  }
  const json& kinds = report["kinds"];
  for (size_t kind = 0; kind + 1 < kinds.size(); ++kind) {
    EXPECT_EQ(kinds[kind]["count"], counts[kind]) << kinds[kind];
    EXPECT_EQ(kinds[kind]["total_ns"], totals[kind]) << kinds[kind];
  }
  EXPECT_EQ(kinds.back()["count"], all.all().count);
  EXPECT_EQ(kinds.back()["p99_ns"], all.all().quantile_ns(0.99));
}

TEST(ReportData, KindsBeyondTheMostAreOneTogether) {
  Collector many = collector(10);
  for (uint64_t i = 0; i < 3 * kPageKinds; ++i)
    take(many, query_of("select a" + std::to_string(i) + "b from t", kBegin + i, 1000 + i));
  finish(many);
  const json report = json::parse(page_data(about(10), many).report);
  ASSERT_EQ(report["kinds"].size(), kPageKinds + 2);
  EXPECT_EQ(report["kinds"][kPageKinds]["count"], 2 * kPageKinds);
  uint64_t others = 0;
  for (const json& cell : report["cells"])
    if (cell[1] == kPageKinds) others += cell[2].get<uint64_t>();
  EXPECT_EQ(others, 2 * kPageKinds);
}

TEST(ReportData, SlowQueriesAndTheirStacksGoTogether) {
  const PageData data = page_data(about(600), shop(20'000));
  const json slow = json::parse(data.report)["slow"],
             profiles = json::parse(data.stacks)["profiles"];
  ASSERT_EQ(slow.size(), profiles.size());
  ASSERT_GT(slow.size(), 5U);
  for (size_t i = 1; i < slow.size(); ++i)
    EXPECT_GE(profiles[i - 1]["duration_ns"], profiles[i]["duration_ns"]);
}

TEST(ReportData, IsValidWhateverTheTextsAre) {
  const PageData data = page_data(hostile_about(), hostile());
  EXPECT_TRUE(json::accept(data.report));
  EXPECT_TRUE(json::accept(data.stacks));
}

class ReportPage : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_page()) GTEST_SKIP() << "built without DBTRACE_HTML_REPORT";
  }
  static std::string page(const About& about, const Collector& collector) {
    std::string page;
    append_page(about, collector, page);
    return page;
  }
};

TEST_F(ReportPage, NeedsNobody) {
  const std::string html = page(about(600), shop(2000));
  EXPECT_THAT(html, HasSubstr("content=\"default-src 'none'; style-src 'sha256-"));
  EXPECT_THAT(html, Not(HasSubstr("://")));
  EXPECT_THAT(html, Not(HasSubstr("{{")));
  EXPECT_THAT(html, HasSubstr("Permission is hereby granted")) << "the licence of what it holds";
}

TEST_F(ReportPage, NoTextLeavesTheDataBlock) {
  const std::string html = page(hostile_about(), hostile());
  const std::string empty = page(about(10), shop(1));
  const auto tags = [](const std::string& text) { return std::ranges::count(text, '<'); };
  EXPECT_EQ(tags(html), tags(empty)) << "no text adds a tag";
}

// What is as large as it gets: more kinds than the page tells apart, all the time, each of all
// durations.
TEST_F(ReportPage, StaysSmall) {
  constexpr size_t kMost = 5'000'000;
  constexpr uint64_t kQueries = 600'000, kKinds = 2 * kPageKinds, kOctaves = 24;
  Collector many = collector(600);
  for (uint64_t i = 0; i < kQueries; ++i) {
    const std::string column = "c" + std::to_string(i % kKinds);
    model::Query query =
        query_of("select " + column + " from orders where customer = 1", kBegin + i * 1'000'000,
                 500 + ((i * 7919 % 1000) << i % kOctaves));
    model::Budget& budget = query.budget.emplace();
    budget.by_cause_ns[i % model::kCauses] = query.duration_ns;
    take(many, query);
  }
  finish(many);
  EXPECT_LT(page(about(600), many).size(), kMost);
}

}  // namespace
}  // namespace dbtrace::report
