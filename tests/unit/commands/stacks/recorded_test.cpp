// What `dbtrace stacks --from` shows is, byte for byte, what was to be shown live.
#include "src/commands/stacks/recorded.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "src/commands/stacks/stack_view.h"
#include "src/commands/tracing/options.h"
#include "src/recording/writer.h"
#include "src/stacks/sampled.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/unit/output/sample_query.h"

namespace dbtrace::commands {
namespace {

using model::Cause;
using model::Frame;
using model::Query;
using model::Sample;
using output::StackFormat;

constexpr uint64_t kBegin = 1'790'000'000'000'000'000;
constexpr uint64_t kMillisecond = 1'000'000;

Query query_of(int number) {
  Query query = output::sample_query();
  query.start_ns = kBegin + static_cast<uint64_t>(number) * 1000 * kMillisecond;
  query.duration_ns = 300 * kMillisecond + static_cast<uint64_t>(number);
  output::set_text(query,
                   "select " + std::to_string(number) + " from t" + std::to_string(number % 2));
  query.budget.emplace();
  query.budget->by_cause_ns[0] = query.duration_ns;
  return query;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class RecordedStacks : public ::testing::TestWithParam<StackFormat> {
 protected:
  RecordedStacks() {
    const auto frame = [this](Frame::Kind kind, const char* name, const char* module) {
      return frames_.intern({.kind = kind, .name = name, .module = module, .source = {}});
    };
    const auto start = frame(Frame::Kind::User, "start_thread", "libc.so.6");
    const auto unused = frame(Frame::Kind::User, "unused", "mariadbd");
    const auto dispatch = frame(Frame::Kind::User, "dispatch_command", "mariadbd");
    const auto read = frame(Frame::Kind::User, "a<b;c>::read(int)", "mariadbd");
    const auto inlined = frame(Frame::Kind::Inlined, "inlined", "mariadbd");
    const auto kernel = frame(Frame::Kind::Kernel, "io_schedule", "[kernel]");
    (void)unused;
    for (int number = 0; number < 5; ++number) {
      std::vector<Sample> samples;
      for (uint64_t i = 0; i < 20; ++i) {
        const bool waits = i % 3 == 0;
        samples.push_back({.time_ns = i * 10 * kMillisecond,
                           .ns = waits ? 4'000'499 + i : 10 * kMillisecond,
                           .count = waits ? 2U : 1U,
                           .cause = waits ? Cause::FileRead : Cause::OnCpu,
                           .whole = i % 7 != 0,
                           .frames = {start, dispatch, read}});
        if (waits) samples.back().frames.push_back(kernel);
        if (i % 4 == 1) samples.back().frames.push_back(inlined);
        if (i == 19) samples.back().frames = {start};
      }
      queries_.push_back({query_of(number), samples});
    }
    queries_.push_back({query_of(5), {}});
    queries_.push_back({query_of(6), queries_[0].second});
    queries_.back().first.duration_ns = 99 * kMillisecond;  // too fast
    options_.format = GetParam();
    options_.choice.filter.slower_than_ns = 100 * kMillisecond;
  }

  std::string live() {
    const std::string file = folder_.path() / "live";
    const auto filter = make_filter(options_.choice, true);
    auto writer = open_output(file, -1);
    StackView view(options_, *filter, false, frames_, *writer);
    for (const auto& [query, samples] : queries_)
      if (view.wants(query)) view.show(query, samples);
    view.finish();
    return bytes_of(file);
  }

  std::string recorded() {
    StacksOptions options = options_;
    options.from = folder_.path() / "recording";
    options.output_file = folder_.path() / "recorded";
    {
      auto writer =
          recording::Writer::create(options.from, {.literals = true, .program = "test"}, kBegin);
      for (const auto& [query, samples] : queries_) {
        Query with = query;
        // Three heaviest, that are not to be shown.
        with.stacks = {{.ns = 1, .count = 1, .frames = {"wrong"}}};
        with.samples =
            std::make_shared<const model::SampledStacks>(stacks::by_themselves(samples, frames_));
        writer->add(with);
      }
      EXPECT_TRUE(writer->finish(kBegin + 1));
    }
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(show_recorded_stacks(options), 0);
    account_ = ::testing::internal::GetCapturedStderr();
    return bytes_of(options.output_file);
  }

  void expect_same() {
    const std::string shown = live();
    EXPECT_NE(shown.find("io_schedule"), std::string::npos);
    EXPECT_EQ(shown.find("unused"), std::string::npos);
    EXPECT_EQ(recorded(), shown);
  }

  dbtrace::testing::TemporaryFolder folder_;
  stacks::FrameTable frames_;
  std::vector<std::pair<Query, std::vector<Sample>>> queries_;
  StacksOptions options_;
  std::string account_;
};

INSTANTIATE_TEST_SUITE_P(Formats, RecordedStacks,
                         ::testing::Values(StackFormat::Text, StackFormat::Folded,
                                           StackFormat::Json, StackFormat::Speedscope,
                                           StackFormat::Svg, StackFormat::Html));

TEST_P(RecordedStacks, OfEachQueryAreTheSame) {
  expect_same();
  EXPECT_NE(account_.find(": 6 shown, 1 filtered\n"), std::string::npos) << account_;
}

TEST_P(RecordedStacks, OfEachKindAreTheSame) {
  options_.by.emplace();
  expect_same();
}

TEST_P(RecordedStacks, BeginWhereAsked) {
  options_.begin_at = "dispatch_command";
  expect_same();
}

TEST_P(RecordedStacks, EndWithTheirLimit) {
  options_.limit = 2;
  expect_same();
}

}  // namespace
}  // namespace dbtrace::commands
