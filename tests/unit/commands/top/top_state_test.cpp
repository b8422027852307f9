#include "src/commands/top/top_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/commands/top/queries.h"

namespace dbtrace::commands::top {
namespace {

using model::FileOperation;
using model::TableIo;
using ::testing::ElementsAre;

TEST(History, HasTheLastMinuteBySecond) {
  History history;
  history.add(940, 5);
  history.add(998, 10);
  history.add(998, 20);
  history.add(999, 7);
  history.add(1000, 1);  // goes on
  const auto seconds = history.parts(1000, History::kSeconds);
  EXPECT_EQ(seconds.front(), (History::Part{1, 5}));
  EXPECT_EQ(seconds[58], (History::Part{2, 30}));
  EXPECT_EQ(seconds[59], (History::Part{1, 7}));
  EXPECT_THAT(history.parts(1000, 2), ElementsAre(History::Part{1, 5}, History::Part{3, 37}));
}

TEST(History, ForgetsWhatIsOlder) {
  History history;
  history.add(100, 5);
  EXPECT_TRUE(history.is_empty(100));
  EXPECT_FALSE(history.is_empty(101));
  EXPECT_FALSE(history.is_empty(160));
  EXPECT_TRUE(history.is_empty(161));
  // The slot is somebody else's by now.
  EXPECT_TRUE(history.is_empty(165));
  history.add(164, 1);
  EXPECT_EQ(history.parts(165, 1).front(), (History::Part{1, 1}));
  History early;
  early.add(2, 1);
  EXPECT_FALSE(early.is_empty(3));
}

model::Io io_of(std::vector<model::FileIo> files) {
  model::Io io;
  for (const model::FileIo& file : files) model::add_to(io.operations, file.operations);
  io.files = std::move(files);
  return io;
}

TEST(TableIo, AddsUpByTable) {
  TableIo tables(10);
  tables.add(io_of({file_io("shop.a", FileOperation::Read, 2, 100, 10),
                    file_io("shop.b", FileOperation::Write, 1, 50, 70)}));
  tables.add(io_of({file_io("shop.a", FileOperation::Read, 1, 100, 20)}));
  const auto entries = tables.heaviest_first();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].name, "shop.b");
  EXPECT_EQ(entries[1].name, "shop.a");
  EXPECT_EQ(entries[1].operations[0].count, 3U);
  EXPECT_EQ(entries[1].operations[0].bytes, 200U);
  EXPECT_EQ(model::time_of(entries[1].operations), 30U);
  EXPECT_EQ(model::number_of(tables.rest()), 0U);
}

TEST(TableIo, LosesNothingBeyondItsBound) {
  TableIo tables(1);
  model::Io io = io_of({file_io("a", FileOperation::Read, 1, 10, 10),
                        file_io("b", FileOperation::Read, 2, 20, 20),
                        file_io("", FileOperation::Read, 4, 40, 40)});
  io.files.back().file = {};
  io.operations[0].count += 8;  // of a file that the query does not tell of
  io.operations[0].bytes += 80;
  tables.add(io);
  TableIo sum(1);
  sum.merge(tables);
  sum.merge(tables);
  ASSERT_EQ(sum.heaviest_first().size(), 1U);
  EXPECT_EQ(model::number_of(sum.heaviest_first().front().operations), 2U);
  EXPECT_EQ(model::number_of(sum.rest()), 2U * (2 + 4 + 8));
  EXPECT_EQ(sum.rest()[0].bytes, 2U * (20 + 40 + 80));
}

TEST(Details, KeepTheSlowestAndTheLongestWaits) {
  Details details;
  for (const uint64_t ns : {5, 1, 9, 3, 7, 2, 8}) {
    model::Query query = query_of("select " + std::to_string(ns), ns);
    query.blocker.emplace();
    query.blocker->waited_ns = ns;
    query.blocker->query = std::string(5000, 'x');
    details.add(query);
  }
  const auto durations = [&] {
    std::vector<uint64_t> values;
    for (const model::Example& example : details.slowest) values.push_back(example.duration_ns);
    return values;
  };
  EXPECT_THAT(durations(), ElementsAre(9, 8, 7, 5, 3));
  EXPECT_EQ(details.slowest.front().text, "select 9");
  EXPECT_EQ(details.blocked, 7U);
  EXPECT_EQ(details.blocked_ns, 35U);
  ASSERT_EQ(details.blockers.size(), Details::kBlockers);
  EXPECT_EQ(details.blockers.front().waited_ns, 9U);
  EXPECT_EQ(details.blockers.back().waited_ns, 7U);
  EXPECT_EQ(details.blockers.front().query->size(), model::Example::kMostText);

  Details other;
  other.add(query_of("select 6", 6));
  details.merge(other);
  EXPECT_THAT(durations(), ElementsAre(9, 8, 7, 6, 5));
  EXPECT_EQ(details.blocked, 7U);
}

TEST(TopState, TellsOfAnIntervalAndOfTheRun) {
  TopState state = state_of();
  state.add(query_of("select 1", 100), kBegin_ns);
  state.add(query_of("select 2", 300), kBegin_ns + kSecond);
  EXPECT_EQ(state.kinds(), 0U);  // not before the interval has ended
  state.end_interval({.time_ns = kBegin_ns + 2 * kSecond, .lost = 3, .waits = {}});
  const uint32_t kind = find_kind(state, "SELECT ?");
  ASSERT_LT(kind, state.kinds());
  EXPECT_EQ(state.sums(kind, Over::Interval).count, 2U);
  EXPECT_EQ(state.sums(kind, Over::Run).total_ns, 400U);
  EXPECT_EQ(state.length_ns(Over::Interval), 2 * kSecond);
  EXPECT_DOUBLE_EQ(state.at_work(Over::Interval), 400.0 / (2 * kSecond));
  EXPECT_EQ(state.lost(), 3U);
  EXPECT_EQ(state.history(kind).parts(state.history_end(), 60)[58], (History::Part{1, 100}));
  EXPECT_EQ(state.details(kind).slowest.size(), 2U);

  state.add(query_of("select 3", 1000), kBegin_ns + 3 * kSecond);
  // Who pauses ends no interval, and sees nothing change.
  EXPECT_EQ(state.sums(kind, Over::Interval).count, 2U);
  EXPECT_EQ(state.sums(kind, Over::Run).count, 2U);
  EXPECT_EQ(state.details(kind).slowest.front().duration_ns, 300U);
  EXPECT_EQ(state.history(kind).parts(state.history_end(), 1).front().queries, 2U);

  state.end_interval({.time_ns = kBegin_ns + 6 * kSecond, .lost = 3, .waits = {}});
  EXPECT_EQ(state.sums(kind, Over::Interval).count, 1U);
  EXPECT_EQ(state.sums(kind, Over::Run).count, 3U);
  EXPECT_EQ(state.sums_of_all(Over::Run).count, 3U);
  EXPECT_EQ(state.length_ns(Over::Interval), 4 * kSecond);
  EXPECT_EQ(state.length_ns(Over::Run), 6 * kSecond);
  EXPECT_EQ(state.details(kind).slowest.front().duration_ns, 1000U);
}

TEST(TopState, KeepsAKindForAMinute) {
  TopState state = state_of();
  state.add(query_of("select 1", 100), kBegin_ns);
  state.end_interval({.time_ns = kBegin_ns + kSecond, .lost = 0, .waits = {}});
  const uint32_t kind = find_kind(state, "SELECT ?");
  state.end_interval({.time_ns = kBegin_ns + 60 * kSecond, .lost = 0, .waits = {}});
  EXPECT_EQ(state.sums(kind, Over::Interval).count, 0U);
  EXPECT_TRUE(state.is_alive(kind, Over::Interval));
  state.end_interval({.time_ns = kBegin_ns + 61 * kSecond, .lost = 0, .waits = {}});
  EXPECT_FALSE(state.is_alive(kind, Over::Interval));
  EXPECT_TRUE(state.is_alive(kind, Over::Run));
}

TEST(TopState, PutsWhatIsTooManyUnderOther) {
  TopState state = state_of(2);
  for (const char* text : {"select a", "select b", "select c", "select d"})
    state.add(query_of(text, 10), kBegin_ns);
  state.end_interval({.time_ns = kBegin_ns + kSecond, .lost = 0, .waits = {}});
  EXPECT_EQ(state.kinds(), 3U);
  EXPECT_EQ(state.sums(kinds::Kinds::kOther, Over::Interval).count, 2U);
  EXPECT_EQ(state.details(kinds::Kinds::kOther).slowest.size(), 2U);
}

TEST(TopState, TakesWaitsFromWhereItBegan) {
  model::WaitSums sums;
  const auto cpu = static_cast<size_t>(model::Cause::OnCpu);
  sums.ns[cpu] = 1000;
  TopState state({.max_kinds = 10}, {.time_ns = kBegin_ns, .lost = 0, .waits = sums});
  EXPECT_EQ(state.waits(Over::Run)->total_ns(), 0U);
  sums.ns[cpu] = 1000 + kSecond;
  sums.now[cpu] = 2;
  state.end_interval({.time_ns = kBegin_ns + 2 * kSecond, .lost = 0, .waits = sums});
  EXPECT_EQ(state.waits(Over::Interval)->ns[cpu], kSecond);
  EXPECT_EQ(state.waits(Over::Interval)->now[cpu], 2U);
  EXPECT_DOUBLE_EQ(state.at_work(Over::Interval), 0.5);
  sums.ns[cpu] += 3 * kSecond;
  state.end_interval({.time_ns = kBegin_ns + 4 * kSecond, .lost = 0, .waits = sums});
  EXPECT_EQ(state.waits(Over::Interval)->ns[cpu], 3 * kSecond);
  EXPECT_EQ(state.waits(Over::Run)->ns[cpu], 4 * kSecond);
  EXPECT_FALSE(state_of().waits(Over::Run));
}

}  // namespace
}  // namespace dbtrace::commands::top
