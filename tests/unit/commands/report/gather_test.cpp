// A recording by way of `dbtrace report` comes to what it comes to by way of `dbtrace histogram`.
#include "src/commands/report/gather.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "src/commands/diff/recorded_run.h"
#include "src/recording/writer.h"
#include "tests/runtime/temporary_folder.h"

namespace dbtrace::commands {
namespace {

constexpr uint64_t kBegin = 1'790'000'000'000'000'000;
constexpr uint64_t kQueries = 30'000, kGap_ns = 200'000;  // 5,000 a second

// Of three kinds, with a budget and operations on files.
model::Query query_of(uint64_t number) {
  model::Query query;
  query.start_ns = kBegin + number * kGap_ns;
  query.duration_ns = 10'000 + number * 7919 % 90'000;
  query.flavor = "mysql";
  query.command_id = 3;
  query.command = "Query";
  query.connection_id = 5;
  query.text_state = model::TextState::Present;
  query.text = number % 3 == 0   ? "update t set a = 1"
               : number % 3 == 1 ? "select a from t"
                                 : "insert into t values (2)";
  query.text_length = query.text.size();
  query.error = number % 100 == 0 ? 1062 : 0;
  query.budget.emplace().by_cause_ns[0] = query.duration_ns;
  query.io.emplace().operations[0] = {1, 0, 4096, 2000, 2000};
  return query;
}

struct Gathered {
  report::About about;
  report::Collector collector;
};

class Gather : public ::testing::Test {
 protected:
  Gathered gathered(uint64_t max_rate) {
    auto writer =
        recording::Writer::create(path_, {.max_rate = max_rate, .program = "dbtrace"}, kBegin);
    if (!writer) throw std::runtime_error(writer.error().message);
    for (uint64_t i = 0; i < kQueries; ++i) writer->add(query_of(i));
    writer->add(recording::ServerNote{.seen_ns = kBegin,
                                      .pid = 7,
                                      .flavor = "mysql",
                                      .title = "MySQL",
                                      .version = "9.7",
                                      .executable = "/mysqld",
                                      .data = {},
                                      .plan = {}});
    writer->add(recording::Incident{kBegin, "p99 > 1ms", "2ms"});
    writer->set({"lost_ring_full", 4});
    if (auto finished = writer->finish(kBegin + kQueries * kGap_ns); !finished)
      throw std::runtime_error(finished.error().message);

    return read();
  }

  // What is at path_.
  Gathered read() {
    auto replay = Replay::open(path_);
    if (!replay) throw std::runtime_error(replay.error().message);
    const recording::Reader& reader = replay->reader();
    Gathered all{
        *about(*replay),
        report::Collector({.timeline = report::Timeline::of(reader.begin_ns(), reader.end_ns()),
                           .literals = reader.has_literals()})};
    if (auto done = gather(*replay, all.collector); !done)
      throw std::runtime_error(done.error().message);
    return all;
  }

  void expect_same_as_histogram(const report::Collector& collector) {
    const auto run = run_of_recording(path_);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(collector.all().count, run->count);
    const std::vector<kinds::Ranked> ranked = collector.ranked();
    ASSERT_EQ(ranked.size(), run->kinds.size());
    for (size_t i = 0; i < run->kinds.size(); ++i) {
      const kinds::Ranked& mine = ranked[i];
      const SavedRun::Kind& other = run->kinds[i];
      EXPECT_EQ(collector.kinds()[mine.kind].id, other.id);
      EXPECT_EQ(mine.sums->count, other.measured.count);
      EXPECT_EQ(mine.sums->total_ns, other.measured.total_ns);
      EXPECT_EQ(mine.sums->max_ns, other.measured.max_ns);
      EXPECT_EQ(mine.sums->durations, other.measured.durations);
    }
  }

  dbtrace::testing::TemporaryFolder folder_;
  std::string path_ = folder_.path() / "recording";
};

uint64_t in_cells(const report::Bucket& bucket) {
  uint64_t count = 0;
  for (const report::Cell& cell : bucket.cells) count += cell.count;
  return count;
}

TEST_F(Gather, CountsAsHistogramDoes) {
  const Gathered all = gathered(0);
  EXPECT_EQ(all.collector.all().count, kQueries);
  expect_same_as_histogram(all.collector);
  EXPECT_EQ(model::number_of(all.collector.tables().rest()), kQueries);
}

TEST_F(Gather, CountsWhatIsInSumsOnlyWhenItWas) {
  const Gathered all = gathered(1000);
  ASSERT_TRUE(all.about.sampled);
  EXPECT_EQ(all.collector.all().count, kQueries);
  expect_same_as_histogram(all.collector);
  // Six seconds in 60 buckets; a stretch, of a second or less, counts in the bucket that it ends
  // in.
  ASSERT_EQ(all.collector.buckets().size(), 60U);
  uint64_t first_half = 0;
  for (size_t i = 0; i < 30; ++i) first_half += in_cells(all.collector.buckets()[i]);
  EXPECT_GT(first_half, kQueries / 4);
  EXPECT_LT(first_half, kQueries * 3 / 4);
}

// A file may say anything: no more buckets than the timeline has, and nothing left out.
TEST_F(Gather, EndsWhereTimesDoNot) {
  const uint64_t ends[] = {0, 1, kBegin, INT64_MAX, uint64_t{1} << 63, UINT64_MAX - 1, UINT64_MAX};
  uint64_t count = 0;
  {
    auto writer = recording::Writer::create(path_, {.program = "dbtrace"}, kBegin);
    ASSERT_TRUE(writer);
    for (const uint64_t start_ns : ends)
      for (const uint64_t duration_ns : ends) {
        model::Query query = query_of(count++);
        query.start_ns = start_ns;
        query.duration_ns = duration_ns;
        writer->add(query);
      }
    ASSERT_TRUE(writer->finish(UINT64_MAX));
  }
  const Gathered all = read();
  EXPECT_EQ(all.collector.all().count, count);
  EXPECT_EQ(all.collector.buckets().size(), all.collector.timeline().buckets);
}

TEST_F(Gather, KnowsOfWhatTheRecordingIs) {
  const report::About about = gathered(0).about;
  EXPECT_EQ(about.program, "dbtrace");
  EXPECT_TRUE(about.finished);
  ASSERT_EQ(about.servers.size(), 1U);
  EXPECT_EQ(report::described(about.servers[0]), "MySQL 9.7 (pid 7, /mysqld)");
  ASSERT_EQ(about.incidents.size(), 1U);
  EXPECT_EQ(about.incidents[0].value, "2ms");
  ASSERT_EQ(report::remarks_on(about).size(), 1U);
}

}  // namespace
}  // namespace dbtrace::commands
