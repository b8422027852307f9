#include "tests/faults/checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "tests/runtime/child_process.h"

namespace dbtrace::testing {

using std::chrono::seconds;

void expect_account(const Account& account, size_t lines) {
  EXPECT_EQ(account.shown + account.filtered + account.hidden + account.lost + account.surplus,
            account.seen);
  EXPECT_EQ(account.shown, lines);
}

size_t expect_marks(const std::vector<nlohmann::json>& lines, size_t asked) {
  constexpr int64_t kImpossible_ns = 600'000'000'000;
  const std::string before = std::string("SELECT '") + kMark;
  std::set<size_t> told;
  for (const nlohmann::json& line : lines) {
    const int64_t duration = line.at("duration_ns");
    EXPECT_TRUE(duration >= 0 && duration < kImpossible_ns) << line;
    const std::string text = line.at("query").is_string() ? line.at("query") : "";
    if (!text.starts_with(before)) continue;
    const size_t mark = std::stoul(text.substr(before.size()));
    EXPECT_EQ(text, before + std::to_string(mark) + "'");
    EXPECT_LT(mark, asked);
    EXPECT_TRUE(told.insert(mark).second) << "told twice: " << line;
  }
  return told.size();
}

void expect_alive(const Database& database) {
  const auto end = database.how_it_ended();
  ASSERT_FALSE(end) << "the server ended: " << *end;
  EXPECT_EQ(database.connect()->ask("SELECT sum(n) FROM shop.numbers"), "5050");
}

void expect_nothing_left(const ProbeSites& sites, const std::vector<BpfObjects>& objects) {
  EXPECT_TRUE(wait_until([&] { return sites.all_clean(); }, seconds(60)));
  for (const BpfObjects& each : objects)
    EXPECT_TRUE(each.count() == 0 || wait_until([&] { return each.all_gone(); }, seconds(60)));
}

}  // namespace dbtrace::testing
