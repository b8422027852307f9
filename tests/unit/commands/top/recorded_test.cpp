// A recording as `dbtrace top --from` shows it, interval by interval.
#include "src/commands/top/recorded.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/commands/diff/recorded_run.h"
#include "src/commands/top/controls.h"
#include "src/recording/writer.h"
#include "tests/runtime/recording.h"
#include "tests/runtime/temporary_folder.h"

namespace dbtrace::commands::top {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using What = Action::What;

constexpr uint64_t kBegin = 1'790'000'000'000'000'000;
constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kQueries = 6'000;  // a millisecond after the other
constexpr uint64_t kInterval_ns = 500 * kMs;

// `at_ns`: since the recording's begin.
model::Query query_of(const std::string& text, uint64_t at_ns, uint64_t duration_ns) {
  model::Query query;
  query.start_ns = kBegin + at_ns;
  query.duration_ns = duration_ns;
  query.flavor = "mysql";
  query.command_id = 3;
  query.command = "Query";
  query.connection_id = 5;
  query.text_state = model::TextState::Present;
  query.text = text;
  query.text_length = text.size();
  query.error = 0;
  return query;
}

// Of three kinds, with a budget and an operation on a file each.
std::vector<model::Query> load() {
  constexpr const char* kTexts[] = {"update t set a = 1", "select a from t",
                                    "insert into t values (2)"};
  std::vector<model::Query> queries;
  for (uint64_t i = 0; i < kQueries; ++i) {
    model::Query query = query_of(kTexts[i % 3], i * kMs, 10'000 + i * 7919 % 90'000);
    query.budget.emplace().by_cause_ns[0] = query.duration_ns;
    query.io.emplace().operations[0] = {1, 0, 4096, 2000, 2000};
    queries.push_back(query);
  }
  return queries;
}

TopOptions every(uint64_t interval_ns) {
  TopOptions options;
  options.interval_ns = interval_ns;
  return options;
}

class RecordedTest : public ::testing::Test {
 protected:
  void record(const std::vector<model::Query>& queries, uint64_t length_ns, uint64_t max_rate = 0) {
    auto writer =
        recording::Writer::create(path_, {.max_rate = max_rate, .program = "dbtrace"}, kBegin);
    if (!writer) throw std::runtime_error(writer.error().message);
    for (const model::Query& query : queries) writer->add(query);
    if (auto finished = writer->finish(kBegin + length_ns); !finished)
      throw std::runtime_error(finished.error().message);
  }

  Recorded& open(const TopOptions& options = every(kInterval_ns), uint64_t at_ns = 0) {
    options_ = options;
    auto filter = make_filter(options_.choice, false);
    if (!filter) throw std::runtime_error(filter.error().message);
    filter_.emplace(std::move(*filter));
    auto replay = Replay::open(path_);
    if (!replay) throw std::runtime_error(replay.error().message);
    replay_.emplace(std::move(*replay));
    auto recorded = Recorded::open(*replay_, options_, *filter_, kBegin + at_ns);
    if (!recorded) throw std::runtime_error(recorded.error().message);
    recorded_ = std::move(*recorded);
    return *recorded_;
  }

  void each_interval(const std::function<void(const TopState&)>& look) {
    recorded_->act({What::ToBegin});
    look(recorded_->state());
    while (recorded_->has_more()) {
      recorded_->act({What::StepOn});
      if (!recorded_->read()) throw std::runtime_error(recorded_->read().error().message);
      look(recorded_->state());
    }
  }

  // Of all intervals together and of the run, by kind.
  void expect_same_as_histogram() {
    std::map<std::string, model::Sums> intervals;
    each_interval([&](const TopState& state) {
      for (uint32_t kind = 0; kind < state.kinds(); ++kind)
        intervals[state.kind(kind).id].merge(state.sums(kind, Over::Interval));
    });
    const auto run = run_of_recording(path_);
    ASSERT_TRUE(run) << run.error().message;
    const TopState& state = recorded_->state();
    EXPECT_EQ(state.sums_of_all(Over::Run).count, run->count);
    EXPECT_EQ(recorded_->tally().shown, run->count);
    std::map<std::string, const model::Sums*> of_run;
    for (uint32_t kind = 0; kind < state.kinds(); ++kind)
      of_run[state.kind(kind).id] = &state.sums(kind, Over::Run);
    for (const SavedRun::Kind& kind : run->kinds) {
      ASSERT_TRUE(of_run.contains(kind.id)) << kind.text;
      const model::Sums* of_intervals = &intervals[kind.id];
      for (const model::Sums* sums : {of_run[kind.id], of_intervals}) {
        EXPECT_EQ(sums->count, kind.measured.count) << kind.text;
        EXPECT_EQ(sums->total_ns, kind.measured.total_ns) << kind.text;
        EXPECT_EQ(sums->max_ns, kind.measured.max_ns) << kind.text;
        EXPECT_EQ(sums->durations, kind.measured.durations) << kind.text;
      }
    }
  }

  // The page as it would stand on a screen.
  std::string page(Page page) {
    Controls controls(kinds::SortKey::Total, page);
    controls.refresh(recorded_->state());
    if (page == Page::Kind) controls.apply({What::Open}, recorded_->state(), 20);
    std::string text;
    for (const std::string& line :
         draw(recorded_->state(), controls, recorded_->about(), {.width = 100}).lines)
      text += line + '\n';
    return text;
  }
  std::string all_pages() {
    std::string text;
    for (const Page each : {Page::Kinds, Page::Running, Page::Waits, Page::Io}) text += page(each);
    return text;
  }

  dbtrace::testing::TemporaryFolder folder_;
  std::string path_ = folder_.path() / "recording";
  TopOptions options_;
  std::optional<model::Filter> filter_;
  std::optional<Replay> replay_;
  std::unique_ptr<Recorded> recorded_;
};

TEST_F(RecordedTest, IntervalsAddUpToWhatHistogramCounts) {
  record(load(), kQueries * kMs);
  open();
  expect_same_as_histogram();
  uint64_t intervals = 0, operations = 0;
  each_interval([&](const TopState& state) {
    ++intervals;
    // Those of the last millisecond may have ended in the next interval.
    EXPECT_NEAR(static_cast<double>(state.sums_of_all(Over::Interval).count), 500, 1);
    EXPECT_EQ(state.length_ns(Over::Interval), kInterval_ns);
    EXPECT_EQ(state.length_ns(Over::Run), kQueries * kMs);
    operations += model::number_of(state.io(Over::Interval).rest());
  });
  EXPECT_EQ(intervals, 12U);
  EXPECT_EQ(operations, kQueries);
}

TEST_F(RecordedTest, CountsWhatIsInSumsOnlyWhenItWas) {
  record(load(), kQueries * kMs, 200);
  Recorded& recorded = open();
  ASSERT_TRUE(replay_->reader().is_sampled());
  expect_same_as_histogram();
  uint64_t operations = 0, spent_ns = 0;
  each_interval([&](const TopState& state) {
    operations += model::number_of(state.io(Over::Interval).rest());
    spent_ns += state.waits(Over::Interval)->total_ns();
  });
  EXPECT_EQ(operations, kQueries);
  EXPECT_EQ(spent_ns, recorded.state().sums_of_all(Over::Run).total_ns);
  // Stretches are of a second or less, and there are two intervals in each.
  recorded.act({What::ToBegin});
  recorded.act({What::StepOn});
  recorded.act({What::StepOn});
  EXPECT_LT(recorded.state().sums_of_all(Over::Interval).count, kQueries / 3);
}

TEST_F(RecordedTest, ShowsTheSamePagesBackAsOn) {
  std::vector<model::Query> queries = load();
  model::Query slow = query_of("select sleep(3)", 1200 * kMs, 3000 * kMs);
  slow.budget.emplace().by_cause_ns[static_cast<size_t>(model::Cause::Sleep)] = slow.duration_ns;
  queries.insert(queries.begin() + 4200, slow);
  record(queries, kQueries * kMs);
  Recorded& recorded = open();
  std::vector<std::string> pages;
  each_interval([&](const TopState&) { pages.push_back(all_pages()); });
  ASSERT_THAT(pages, SizeIs(12));
  EXPECT_NE(pages[0], pages[1]);
  for (size_t i = pages.size(); i-- > 0;) {
    EXPECT_EQ(all_pages(), pages[i]) << i;
    recorded.act({What::StepBack});
  }
  recorded.act({What::ToEnd});
  EXPECT_EQ(all_pages(), pages.back());
  recorded.act({What::StepOn});  // there is none
  EXPECT_EQ(all_pages(), pages.back());
  recorded.act({What::MinuteBack});
  EXPECT_EQ(all_pages(), pages.front());
  recorded.act({What::MinuteOn});
  EXPECT_EQ(all_pages(), pages.back());
  recorded.act({What::ToBegin});
  EXPECT_EQ(all_pages(), pages.front());
}

TEST_F(RecordedTest, BeginsWhereItIsToldTo) {
  record(load(), kQueries * kMs);
  open();
  EXPECT_THAT(page(Page::Kinds), HasSubstr("500ms of 6.00s"));
  open(every(kInterval_ns), 2600 * kMs);
  EXPECT_THAT(page(Page::Kinds), HasSubstr("3.00s of 6.00s"));
  open(every(kInterval_ns), UINT64_MAX - kBegin);
  EXPECT_THAT(page(Page::Kinds), HasSubstr("6.00s of 6.00s"));
  EXPECT_FALSE(recorded_->has_more());
  EXPECT_THAT(page(Page::Kinds), HasSubstr("Recorded "));
}

TEST_F(RecordedTest, KnowsWhatRanAndHowManyWereAtWork) {
  // Two of them, from 0.2 s to 1.7 s and from 0.9 s to 1.2 s.
  record({query_of("select 2", 900 * kMs, 300 * kMs), query_of("select 1", 200 * kMs, 1500 * kMs)},
         2000 * kMs);
  open();
  std::vector<std::vector<uint64_t>> running;
  std::vector<double> at_work;
  each_interval([&](const TopState& state) {
    running.emplace_back();
    for (const model::Query& query : state.running()) {
      EXPECT_TRUE(query.running);
      EXPECT_FALSE(query.error.has_value());
      running.back().push_back(query.duration_ns / kMs);
    }
    at_work.push_back(state.at_work(Over::Interval));
  });
  EXPECT_THAT(running, ElementsAre(ElementsAre(300U), ElementsAre(800U, 100U), ElementsAre(1300U),
                                   IsEmpty()));
  EXPECT_THAT(at_work, ElementsAre(0.6, 1.2, 1.4, 0.4));
  EXPECT_DOUBLE_EQ(recorded_->state().at_work(Over::Run), 0.9);
  EXPECT_THAT(page(Page::Running), HasSubstr("What never ended is not in it."));
}

TEST_F(RecordedTest, HasTheMinuteBefore) {
  std::vector<model::Query> queries;
  for (uint64_t second = 0; second < 100; ++second)
    for (uint64_t i = 0; i <= second; ++i)
      queries.push_back(query_of("select 1", second * 1000 * kMs, 1000));
  record(queries, 100'000 * kMs);
  Recorded& recorded = open(every(10'000 * kMs));
  const auto parts = [&] {
    std::vector<uint64_t> counts;
    for (uint32_t kind = 1; kind < recorded.state().kinds(); ++kind)
      for (const History::Part& part :
           recorded.state().history(kind).parts(recorded.state().history_end(), 6))
        counts.push_back(part.queries);
    return counts;
  };
  recorded.act({What::ToEnd});
  EXPECT_THAT(parts(), ElementsAre(455, 555, 655, 755, 855, 955));
  recorded.act({What::MinuteBack});
  EXPECT_THAT(parts(), ElementsAre(0, 0, 55, 155, 255, 355));
}

TEST_F(RecordedTest, ChoosesAsLiveDoes) {
  std::vector<model::Query> queries = load();
  queries[100].error = 1062;
  record(queries, kQueries * kMs);
  TopOptions options = every(kInterval_ns);
  options.choice.filter.errors_only = true;
  open(options);
  uint64_t count = 0;
  each_interval([&](const TopState& state) { count += state.sums_of_all(Over::Interval).count; });
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(recorded_->state().sums_of_all(Over::Run).count, 1U);
  EXPECT_EQ(recorded_->tally().filtered, kQueries - 1);
}

TEST_F(RecordedTest, SaysWhatWasNotMeasured) {
  record({query_of("select 1", 0, kMs)}, 1000 * kMs);
  open();
  EXPECT_THAT(page(Page::Waits), HasSubstr("Not measured"));
  EXPECT_FALSE(recorded_->state().waits(Over::Run).has_value());
}

// Whatever the times are, each query is in one interval.
TEST_F(RecordedTest, CountsQueriesOfImpossibleTimes) {
  record({query_of("select 1", 3000 * kMs, kMs), query_of("select 1", 1000 * kMs, kMs),
          query_of("select 2", UINT64_MAX - kBegin - 5, UINT64_MAX), query_of("select 2", 0, 0),
          query_of("select 3", -uint64_t{5000} * kMs, kMs),
          query_of("select 3", 100'000 * kMs, INT64_MAX), query_of("select 1", 2000 * kMs, kMs)},
         4000 * kMs);
  open();
  uint64_t count = 0;
  each_interval([&](const TopState& state) { count += state.sums_of_all(Over::Interval).count; });
  EXPECT_EQ(count, 7U);
  EXPECT_EQ(recorded_->state().sums_of_all(Over::Run).count, 7U);
}

TEST_F(RecordedTest, ShowsRecordingsOfNoTime) {
  record({query_of("select 1", 0, kMs), query_of("select 1", 5 * kMs, kMs)}, 0);
  Recorded& recorded = open();
  EXPECT_FALSE(recorded.has_more());
  EXPECT_EQ(recorded.state().sums_of_all(Over::Interval).count, 2U);
  EXPECT_THAT(page(Page::Kinds), HasSubstr("0.00 at work"));
  record({}, 0);
  EXPECT_EQ(open().state().sums_of_all(Over::Run).count, 0U);
}

TEST_F(RecordedTest, SurvivesAFileThatLiesAboutItsTime) {
  for (const char* times :
       {"begin_ns = 0, end_ns = 9223372036854775807", "begin_ns = end_ns + 1000000000",
        "begin_ns = -9223372036854775807", "end_ns = -1"}) {
    record(load(), kQueries * kMs, 200);
    (void)dbtrace::testing::asked(path_, std::string("update recording set ") + times);
    Recorded& recorded = open();
    recorded.act({What::ToBegin});
    const uint64_t first = recorded.state().sums_of_all(Over::Interval).count;
    recorded.act({What::ToEnd});
    recorded.act({What::StepBack});
    recorded.act({What::MinuteBack});
    recorded.act({What::ToBegin});
    EXPECT_EQ(recorded.state().sums_of_all(Over::Interval).count, first) << times;
    EXPECT_TRUE(recorded.read()) << times;
    EXPECT_EQ(recorded.state().sums_of_all(Over::Run).count, kQueries) << times;
  }
}

}  // namespace
}  // namespace dbtrace::commands::top
