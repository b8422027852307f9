// What all queries spent, second by second: as it was told, from file, memory and many files.
#include <gtest/gtest.h>

#include "src/recording/archive.h"
#include "src/recording/past.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/unit/recording/queries.h"

namespace dbtrace::recording {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

class Seconds : public ::testing::Test {
 protected:
  static void expect_numbers(const std::vector<model::Spending>& read, uint64_t first,
                             uint64_t last) {
    ASSERT_EQ(read.size(), last - first + 1);
    for (uint64_t n = first; n <= last; ++n)
      EXPECT_EQ(described(read[n - first]), described(full_second(n))) << n;
  }

  dbtrace::testing::TemporaryFolder folder_;
  std::string path_ = folder_.path() / "recording";
};

TEST_F(Seconds, AreReadAsTheyWere) {
  Writer writer = writer_of(path_, {.program = "test"});
  for (uint64_t n = 1; n <= 20; ++n) {
    writer.add(full_second(n));
    writer.add(full_query());
  }
  must(writer.finish(kBegin + 20 * kSecond));
  Reader reader = reader_of(path_);
  expect_numbers(read_seconds(reader), 1, 20);
  EXPECT_EQ(read_all(reader).size(), 20U);
  EXPECT_EQ(asked(path_, "select count(*), sum(ns) from seconds where cause = 'sleep'"),
            "20|160210\n");
}

TEST_F(Seconds, InWhichNothingHappenedHaveTheirTime) {
  Writer writer = writer_of(path_, {.program = "test"});
  const model::Spending quiet{.end_ns = kBegin, .length_ns = kSecond, .queries = 0, .sums = {}};
  writer.add(quiet);
  writer.add(full_second(1));
  writer.add(quiet);
  must(writer.finish(kBegin));
  Reader reader = reader_of(path_);
  const auto read = read_seconds(reader);
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(described(read[0]), described(quiet));
  EXPECT_EQ(described(read[2]), described(quiet));
}

TEST_F(Seconds, ThatWereNotWrittenToTheEndAreThereUpToTheLastCommit) {
  Writer writer = writer_of(path_, {.program = "test"});
  for (uint64_t n = 1; n <= 5; ++n) writer.add(full_second(n));
  must(writer.commit(kBegin + 5 * kSecond));
  writer.add(full_second(6));
  Reader reader = reader_of(path_);
  expect_numbers(read_seconds(reader), 1, 5);
}

// They fill a file as queries do.
TEST_F(Seconds, GoOnInTheNextFile) {
  auto archive = Archive::create(
      {.path = path_, .writer = {.max_bytes = Writer::kLeastBytes, .program = "test"}, .keep = 2},
      kBegin);
  ASSERT_TRUE(archive);
  uint64_t n = 0;
  while (!(*archive)->wants_commit()) (*archive)->add(full_second(++n));
  EXPECT_GT(n, 100U);
  must((*archive)->commit(kBegin + n * kSecond));
  (*archive)->add(full_second(n + 1));
  must((*archive)->finish(kBegin + (n + 1) * kSecond));
  Reader before = reader_of(path_ + ".1"), after = reader_of(path_);
  expect_numbers(read_seconds(before), 1, n);
  expect_numbers(read_seconds(after), n + 1, n + 1);
  EXPECT_LE(bytes_of(path_ + ".1").size(), Writer::kLeastBytes);
}

// Those of the time that is wanted, and not one of which a part was before.
TEST_F(Seconds, OfThePastAreCutToTheTime) {
  auto made = Past::create({.folder = folder_.path(),
                            .writer = {.program = "test"},
                            .length_ns = 60 * kSecond,
                            .after_ns = 0,
                            .max_bytes = uint64_t{1} << 30},
                           kBegin);
  ASSERT_TRUE(made);
  Past& past = **made;
  for (uint64_t n = 1; n <= 400; ++n) {
    past.add(full_second(n));
    must(past.commit(kBegin + n * kSecond));
  }
  past.add(Incident{kBegin + 400 * kSecond + kSecond / 2, "max > 1s", "2s"});
  must(past.finish(kBegin + 400 * kSecond + kSecond / 2));
  const std::string news = past.take_news().at(0);
  const size_t name = sizeof("kept: ") - 1;
  Reader reader = reader_of(news.substr(name, news.find(": 0 queries") - name));
  expect_numbers(read_seconds(reader), 342, 400);
}

}  // namespace
}  // namespace dbtrace::recording
