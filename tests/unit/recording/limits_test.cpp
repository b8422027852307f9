// Recordings that must not grow with whatever comes.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>

#include "src/recording/rate_limit.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/unit/recording/queries.h"

namespace dbtrace::recording {
namespace {

using dbtrace::testing::TemporaryFolder;
using model::Query;

constexpr uint64_t kSecond = 1'000'000'000;

// So many queries that end evenly in a second; every hundredth is slow.
void second_of(uint64_t begin_ns, uint64_t count, RateLimit& limit, std::vector<Stretch>& over,
               std::map<uint64_t, uint64_t>& weights) {
  for (uint64_t i = 0; i < count; ++i) {
    if (const auto stretch = limit.advance(begin_ns + i * kSecond / count))
      over.push_back(*stretch);
    ++weights[limit.weight(i % 200 == 0 ? 1'000'000 : 1'000)];
  }
}

TEST(RateLimit, KeepsAllThatAreFewEnough) {
  RateLimit limit(1000);
  std::vector<Stretch> over;
  std::map<uint64_t, uint64_t> weights;
  for (uint64_t second = 0; second < 5; ++second)
    second_of(kBegin + second * kSecond, 999, limit, over, weights);
  EXPECT_EQ(weights, (std::map<uint64_t, uint64_t>{{1, 5 * 999}}));
  EXPECT_TRUE(over.empty());
  EXPECT_FALSE(limit.finish());
}

TEST(RateLimit, WithoutALimitAllAreKept) {
  RateLimit limit(0);
  for (int i = 0; i < 100'000; ++i) {
    EXPECT_FALSE(limit.advance(kBegin));
    EXPECT_EQ(limit.weight(1), 1U);
  }
}

TEST(RateLimit, OfTooManyAFairPartIsKeptAndAllSlowOnes) {
  RateLimit limit(1000);
  std::vector<Stretch> over;
  std::map<uint64_t, uint64_t> weights;
  second_of(kBegin, 20'000, limit, over, weights);
  // The first thousand are kept; then it is known how many there are.
  EXPECT_TRUE(limit.is_limiting());
  weights.clear();
  second_of(kBegin + kSecond, 20'000, limit, over, weights);
  second_of(kBegin + 2 * kSecond, 20'000, limit, over, weights);
  ASSERT_FALSE(over.empty());
  const Stretch& stretch = over.front();
  EXPECT_NEAR(static_cast<double>(stretch.one_in), 20, 2);
  EXPECT_EQ(stretch.end_ns - stretch.begin_ns, kSecond);
  EXPECT_NEAR(static_cast<double>(stretch.queries), 20'000, 2);
  EXPECT_GT(stretch.slow_ns, 1'000U);
  EXPECT_LE(stretch.slow_ns, 1'000'000U);
  // The slow ones stand for themselves.
  EXPECT_GE(weights[1], 200U);
  EXPECT_LE(weights[1], 300U);
  // Six standard deviations: nobody will ever see it fail by chance.
  uint64_t kept = 0, stand_for = 0;
  for (const auto& [weight, count] : weights) {
    if (weight > 1) kept += count;
    stand_for += weight * count;
  }
  EXPECT_NEAR(static_cast<double>(kept), 2000, 6 * 45);
  EXPECT_NEAR(static_cast<double>(stand_for), 40'000, 6 * 45 * 21);
}

TEST(RateLimit, EndsWhenThereAreFewAgain) {
  RateLimit limit(1000);
  std::vector<Stretch> over;
  std::map<uint64_t, uint64_t> weights;
  second_of(kBegin, 20'000, limit, over, weights);
  for (uint64_t second = 1; second < 4; ++second)
    second_of(kBegin + second * kSecond, 100, limit, over, weights);
  EXPECT_FALSE(limit.is_limiting());
  ASSERT_FALSE(over.empty());
  uint64_t kept = 0;
  for (const Stretch& stretch : over) kept += stretch.kept;
  EXPECT_LT(kept, 2'500U);
}

class Limits : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_.path() / "recording";
};

// Whatever is kept whole, the sums have every query.
TEST_F(Limits, SumsAndWholeQueriesAreAllQueries) {
  constexpr uint64_t kQueries = 50'000;
  Writer writer = writer_of(path_, {.max_rate = 1000, .program = "test"});
  uint64_t total_ns = 0, errors = 0;
  for (uint64_t i = 0; i < kQueries; ++i) {
    Query query = query_of(i % 3 ? "select a from t where id = 1" : "update t set a = 1", 500 + i);
    query.start_ns = kBegin + i * 4 * kSecond / kQueries;
    query.error = i % 10 == 0 ? 1064 : 0;
    errors += i % 10 == 0;
    query.budget.emplace().by_cause_ns[1] = 5;
    total_ns += query.duration_ns;
    writer.add(query);
  }
  must(writer.finish(kBegin + 5 * kSecond));

  Reader reader = reader_of(path_);
  EXPECT_TRUE(reader.is_sampled());
  model::Sums all;
  uint64_t examples = 0;
  for (const Query& query : read_all(reader)) {
    if (query.kind)
      ++examples;
    else
      all.add(query);
  }
  EXPECT_GT(all.count, 0U);
  EXPECT_GT(examples, 0U);
  EXPECT_LT(examples + all.count, kQueries / 5);
  const auto sums = reader.sums();
  ASSERT_TRUE(sums);
  EXPECT_EQ(sums->size(), 2U);
  for (const auto& [kind, part] : *sums) {
    EXPECT_EQ(part.count, part.durations.count());
    all.merge(part);
  }
  EXPECT_EQ(all.count, kQueries);
  EXPECT_EQ(all.total_ns, total_ns);
  EXPECT_EQ(all.errors, errors);
  EXPECT_EQ(all.budgets, kQueries);
  EXPECT_EQ(all.by_cause_ns[1], 5 * kQueries);
  EXPECT_EQ(all.rows_sent, kQueries);
  EXPECT_EQ(all.max_ns, 500 + kQueries - 1);
  EXPECT_EQ(all.durations.count(), kQueries);
  // The file says so itself.
  EXPECT_EQ(asked(path_,
                  "select (select sum(queries - kept) from stretch) +"
                  " (select count(*) from queries)"),
            "50000\n");
  const auto kinds = reader.examples();
  ASSERT_TRUE(kinds);
  EXPECT_EQ(kinds->size(), 2U);
}

uint64_t size_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

TEST_F(Limits, AFileStaysWithinItsSize) {
  constexpr uint64_t kMost = 2 << 20;
  Writer writer = writer_of(path_, {.literals = true, .max_bytes = kMost, .program = "test"});
  uint64_t added = 0;
  while (!writer.is_full()) {
    ASSERT_LT(added, 1'000'000U);
    writer.add(query_of("select " + std::to_string(added++) + std::string(500, 'x')));
  }
  must(writer.finish(kBegin + kSecond));
  EXPECT_LE(size_of(path_), kMost);
  EXPECT_GE(size_of(path_), kMost / 2);
  Reader reader = reader_of(path_);
  EXPECT_EQ(read_all(reader).size(), added);
}

// What a million point selects cost, as far as it does not depend on the server.
TEST_F(Limits, APointSelectTakesFewBytes) {
  constexpr uint64_t kQueries = 50'000;
  Writer writer = writer_of(path_, {.program = "test"});
  for (uint64_t i = 0; i < kQueries; ++i) {
    Query query =
        query_of("select c from sbtest1 where id=" + std::to_string(i), 40'000 + i % 50'000);
    query.connection_id = 5 + i % 16;
    query.start_ns = kBegin + 3600 * kSecond + i * 20'000;
    query.rows_examined = 1;
    query.budget.emplace().by_cause_ns[0] = query.duration_ns;
    query.io.emplace();
    writer.add(query);
  }
  must(writer.finish(kBegin + 3602 * kSecond));
  EXPECT_LE(size_of(path_) / kQueries, 45U);
}

}  // namespace
}  // namespace dbtrace::recording
