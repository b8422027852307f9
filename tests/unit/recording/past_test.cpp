#include "src/recording/past.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/runtime/temporary_folder.h"
#include "tests/unit/recording/queries.h"

namespace dbtrace::recording {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

class PastOfARun : public ::testing::Test {
 protected:
  Past& begin(uint64_t length_ns, uint64_t after_ns, uint64_t max_bytes = uint64_t{1} << 30) {
    auto past = Past::create({.folder = folder_.path(),
                              .writer = {.literals = true, .program = "test"},
                              .length_ns = length_ns,
                              .after_ns = after_ns,
                              .max_bytes = max_bytes},
                             kBegin);
    if (!past) throw std::runtime_error(past.error().message);
    past_ = std::move(*past);
    return *past_;
  }
  // "select N" ends in the N-th second, one in each.
  void seconds(uint64_t from, uint64_t to) {
    for (uint64_t n = from; n < to; ++n) {
      model::Query query = query_of("select " + std::to_string(n));
      query.duration_ns = 1000;
      query.start_ns = at(n) - query.duration_ns;
      past_->add(query);
      must(past_->commit(at(n)));
    }
  }
  static uint64_t at(uint64_t second) { return kBegin + second * kSecond; }
  static Incident incident(uint64_t second) { return {at(second), "max > 1s", "2s"}; }

  std::vector<std::string> files() {
    std::vector<std::string> all;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path()))
      all.push_back(file.path());
    std::ranges::sort(all);
    return all;
  }
  // The first and the last of a file, between which there is no gap.
  static std::pair<uint64_t, uint64_t> range(const std::string& file) {
    Reader reader = reader_of(file);
    EXPECT_TRUE(reader.is_finished());
    const auto queries = read_all(reader);
    if (queries.empty()) throw std::runtime_error("an empty file");
    const auto number = [](const model::Query& query) {
      return std::stoull(query.text.substr(sizeof("select ") - 1));
    };
    for (size_t i = 1; i < queries.size(); ++i)
      EXPECT_EQ(number(queries[i]), number(queries[i - 1]) + 1);
    return {number(queries.front()), number(queries.back())};
  }

  dbtrace::testing::TemporaryFolder folder_;
  std::unique_ptr<Past> past_;
};

TEST_F(PastOfARun, MakesNoFileOfItself) {
  begin(60 * kSecond, 10 * kSecond);
  seconds(0, 500);
  must(past_->finish(at(500)));
  EXPECT_TRUE(files().empty());
  EXPECT_TRUE(past_->take_news().empty());
}

TEST_F(PastOfARun, OfWhatHappensHasWhatWasBeforeAndAfter) {
  Past& past = begin(60 * kSecond, 10 * kSecond);
  ServerNote server;
  server.pid = 42;
  past.add(server);
  seconds(0, 400);
  past.add(incident(400));
  seconds(400, 405);
  EXPECT_TRUE(files().empty());
  seconds(405, 500);
  must(past.finish(at(500)));
  const auto made = files();
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(range(made[0]), std::pair(uint64_t{340}, uint64_t{410}));
  EXPECT_EQ(asked(made[0], "select pid from server"), "42\n");
  EXPECT_EQ(asked(made[0], "select at_ns, condition, value from incident"),
            std::to_string(at(400)) + "|max > 1s|2s\n");
  const auto news = past.take_news();
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(news[0], "kept: " + made[0] + ": 71 queries of 70 s\n");
}

TEST_F(PastOfARun, ThatIsShorterThanWantedIsKeptAsItIs) {
  Past& past = begin(60 * kSecond, 10 * kSecond);
  seconds(0, 3);
  past.add(incident(2));
  must(past.finish(at(3)));
  const auto made = files();
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(range(made[0]), std::pair(uint64_t{0}, uint64_t{2}));
}

TEST_F(PastOfARun, WhatHappensBeforeTheFileIsWrittenIsInTheSame) {
  Past& past = begin(60 * kSecond, 10 * kSecond);
  seconds(0, 100);
  past.add(incident(100));
  seconds(100, 105);
  past.add(incident(105));
  seconds(105, 112);
  past.add(incident(112));
  seconds(112, 130);
  must(past.finish(at(130)));
  const auto made = files();
  ASSERT_EQ(made.size(), 2U);
  EXPECT_EQ(asked(made[0], "select count(*) from incident"), "2\n");
  EXPECT_EQ(asked(made[1], "select count(*) from incident"), "1\n");
  EXPECT_EQ(range(made[0]).first, 40U);
  EXPECT_EQ(range(made[1]).first, 52U);
}

TEST_F(PastOfARun, CountsOnlyWhatWasLostInTheTimeThatItHolds) {
  Past& past = begin(80 * kSecond, 0);
  past.set({"lost_ring_full", 7});
  past.add(LossNote{at(0), "lost_ring_full", 7});
  seconds(0, 400);
  past.set({"lost_ring_full", 10});
  past.add(LossNote{at(399), "lost_ring_full", 3});
  past.add(incident(400));
  must(past.finish(at(400)));
  const auto made = files();
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(asked(made[0], "select what, count from loss"), "lost_ring_full|3\n");
  EXPECT_EQ(asked(made[0], "select value from counter"), "3\n");
}

TEST_F(PastOfARun, HoldsLessWhenMemoryIsShort) {
  Past& past = begin(3600 * kSecond, 0, Past::kPieces * Writer::kLeastBytes);
  const std::string long_text(2000, 'x');
  constexpr uint64_t kMany = 30'000;  // of which the bound holds about 4,000
  for (uint64_t n = 0; n < kMany; ++n) {
    model::Query query = query_of("select '" + std::to_string(n) + long_text + "'");
    query.start_ns = kBegin + n;
    past.add(query);
    if (past.wants_commit()) must(past.commit(kBegin + n));
  }
  past.add(incident(1));
  must(past.finish(at(1)));
  const auto made = files();
  ASSERT_EQ(made.size(), 1U);
  EXPECT_LT(std::filesystem::file_size(made[0]), (Past::kPieces + 2) * Writer::kLeastBytes);
  Reader reader = reader_of(made[0]);
  const auto queries = read_all(reader);
  ASSERT_GT(queries.size(), 1000U);
  EXPECT_EQ(queries.back().start_ns, kBegin + kMany - 1);
}

TEST_F(PastOfARun, ThatCannotBeWrittenIsSaidAndGoesOn) {
  Past& past = begin(60 * kSecond, 0);
  seconds(0, 10);
  std::filesystem::remove_all(folder_.path());
  past.add(incident(10));
  seconds(10, 20);
  EXPECT_FALSE(past.finish(at(20)));
  const auto news = past.take_news();
  ASSERT_EQ(news.size(), 1U);
  EXPECT_NE(news[0].find("not kept: cannot write " + folder_.path().string()), std::string::npos)
      << news[0];
}

// Every field comes through memory and file as it was.
TEST_F(PastOfARun, KeepsQueriesWhole) {
  Past& past = begin(60 * kSecond, 0);
  past.add(full_query());
  past.add(Incident{full_query().start_ns + kSecond, "max > 1s", "2s"});
  must(past.finish(full_query().start_ns + kSecond));
  const auto made = files();
  ASSERT_EQ(made.size(), 1U);
  Reader reader = reader_of(made[0]);
  const auto queries = read_all(reader);
  ASSERT_EQ(queries.size(), 1U);
  EXPECT_EQ(described(queries[0]), described(full_query()));
}

}  // namespace
}  // namespace dbtrace::recording
