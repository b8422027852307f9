// Figures are what they were, as protoc reads them.
#include "src/otlp/metrics_message.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/otlp/told.h"

namespace dbtrace::otlp {
namespace {

using dbtrace::testing::Labels;
using dbtrace::testing::metrics_told;
using dbtrace::testing::Point;
using dbtrace::testing::ToldMetrics;
using output::Metric;
using output::MetricType;

constexpr uint64_t kStart = 1'767'323'045'000'000'000, kNow = kStart + 10'000'000'000;
constexpr Metric kCounter = {"a_total", "test.a", "{query}", MetricType::Counter, "What a is."};
constexpr Metric kTime = {"b_seconds_total", "test.b", "s", MetricType::Counter, "What b is."};
constexpr Metric kGauge = {"c_bytes", "test.c", "By", MetricType::Gauge, "What c is."};
constexpr Metric kHistogram = {"d_seconds", "test.d", "s", MetricType::Histogram, "What d is."};

TEST(MetricsMessage, TellsWhatItWasTold) {
  MetricsMessage message(kStart, kNow);
  message.metric(kCounter);
  message.sample({{"kind", "one"}}, 7);
  message.sample({{"kind", "two"}}, INT64_MAX);
  message.metric(kTime);
  message.sample_seconds({}, 1'500'000'000);
  message.metric(kGauge);
  message.sample({}, 0);
  constexpr std::array<uint64_t, 2> kGreatest = {1'023, 2'000'000'047};
  constexpr std::array<uint64_t, 3> kCounts = {5, 0, 3};
  message.metric(kHistogram);
  message.sample({{"kind", "one"}},
                 {.greatest = kGreatest, .counts = kCounts, .count = 8, .sum_ns = 9'250'000'000});
  EXPECT_EQ(message.points(), 5U);
  const ToldMetrics told = metrics_told(
      message.finish({{"service.name", "dbtrace"}, {"process.pid", int64_t{42}}}, "1.2.3"));

  EXPECT_EQ(told.resource, (Labels{{"service.name", "dbtrace"}, {"process.pid", 42}}));
  EXPECT_EQ(told.scope, "dbtrace");
  EXPECT_EQ(told.version, "1.2.3");
  ASSERT_EQ(told.metrics.size(), 4U);
  EXPECT_EQ(told.metrics.at("test.a").unit, "{query}");
  EXPECT_EQ(told.metrics.at("test.a").kind, "sum");
  EXPECT_EQ(told.sum("test.a", {{"kind", "one"}}), 7);
  EXPECT_EQ(told.sum("test.a", {{"kind", "two"}}), static_cast<double>(INT64_MAX));
  EXPECT_EQ(told.metrics.at("test.a").points[0].start_ns, kStart);
  EXPECT_EQ(told.metrics.at("test.a").points[0].time_ns, kNow);
  EXPECT_EQ(told.metrics.at("test.b").unit, "s");
  EXPECT_EQ(told.sum("test.b"), 1.5);
  EXPECT_EQ(told.metrics.at("test.c").kind, "gauge");
  EXPECT_EQ(told.sum("test.c"), 0);
  const Point& histogram = told.metrics.at("test.d").points[0];
  EXPECT_EQ(histogram.value, 8);
  EXPECT_EQ(histogram.sum, 9.25);
  EXPECT_EQ(histogram.buckets, (std::vector<uint64_t>{5, 0, 3}));
  EXPECT_EQ(histogram.bounds, (std::vector<double>{1023e-9, 2.000000047}));
}

TEST(MetricsMessage, IsValidWhateverLabelsHold) {
  for (const std::string& value : {std::string("\xff\xfe\0x", 4), std::string("a\nb\"c\\"),
                                   std::string("\xed\xa0\x80"), std::string(100'000, '\xe6')}) {
    MetricsMessage message(kStart, kNow);
    message.metric(kCounter);
    message.sample({{"kind", value}}, 1);
    const ToldMetrics told = metrics_told(message.finish({{"host.name", value}}, "1"));
    EXPECT_LE(told.metrics.at("test.a").points[0].labels["kind"].get<std::string>().size(),
              output::kMostLabel);
  }
}

TEST(MetricsMessage, IsAMessageWithoutMetrics) {
  EXPECT_TRUE(
      metrics_told(MetricsMessage(kStart, kNow).finish({{"host.name", "x"}}, "1")).metrics.empty());
}

}  // namespace
}  // namespace dbtrace::otlp
