// Prometheus' text, whatever the labels hold.
#include "src/output/metrics_text.h"

#include <gtest/gtest.h>

#include <array>

namespace dbtrace::output {
namespace {

std::string with_label(std::string_view value) {
  std::string out;
  MetricsText text(out);
  static constexpr Metric kMetric = {"m", "m", "", MetricType::Gauge, "Help."};
  text.metric(kMetric);
  out.clear();
  text.sample({{"l", value}}, uint64_t{1});
  return out;
}

TEST(MetricsText, IsASampleALine) {
  std::string out;
  MetricsText text(out);
  static constexpr Metric kMetric = {"dbtrace_x_total", "dbtrace.x", "{x}", MetricType::Counter,
                                     "What x is."};
  text.metric(kMetric);
  text.sample({}, uint64_t{18446744073709551615U});
  text.sample({{"a", "b"}, {"c", ""}}, uint64_t{0});
  text.sample_seconds({{"a", "b"}}, 1'000'000'001);
  EXPECT_EQ(out,
            "# HELP dbtrace_x_total What x is.\n# TYPE dbtrace_x_total counter\n"
            "dbtrace_x_total 18446744073709551615\n"
            "dbtrace_x_total{a=\"b\",c=\"\"} 0\n"
            "dbtrace_x_total{a=\"b\"} 1.000000001\n");
}

TEST(MetricsText, AddsUpTheBucketsOfAHistogram) {
  std::string out;
  MetricsText text(out);
  static constexpr Metric kMetric = {"x_seconds", "x", "s", MetricType::Histogram, "What x is."};
  constexpr std::array<uint64_t, 2> kGreatest = {1'000, 2'000'000'000};
  constexpr std::array<uint64_t, 3> kCounts = {5, 0, 3};
  text.metric(kMetric);
  text.sample({{"kind", "a"}},
              {.greatest = kGreatest, .counts = kCounts, .count = 8, .sum_ns = 1'500'000'000});
  EXPECT_EQ(out,
            "# HELP x_seconds What x is.\n# TYPE x_seconds histogram\n"
            "x_seconds_bucket{kind=\"a\",le=\"0.000001000\"} 5\n"
            "x_seconds_bucket{kind=\"a\",le=\"2.000000000\"} 5\n"
            "x_seconds_bucket{kind=\"a\",le=\"+Inf\"} 8\n"
            "x_seconds_sum{kind=\"a\"} 1.500000000\n"
            "x_seconds_count{kind=\"a\"} 8\n");
}

TEST(MetricsText, CannotBeLeftByALabel) {
  EXPECT_EQ(with_label("a\"} 1\nm 2"), "m{l=\"a\\\"} 1 m 2\"} 1\n");
  EXPECT_EQ(with_label("a\\"), "m{l=\"a\\\\\"} 1\n");
  EXPECT_EQ(with_label("\x1b[31m\xff"), "m{l=\"\\\\x1b[31m\\\\xff\"} 1\n");
}

TEST(MetricsText, HasLabelsOfABoundedLength) {
  const size_t around = std::string_view("m{l=\"\"} 1\n").size();
  for (const char* character : {"x", "ä", "漢", "\U0001F600"}) {
    std::string value;
    while (value.size() < 5000) value += character;
    const std::string line = with_label(value);
    EXPECT_LE(line.size() - around, kMostLabel);
    EXPECT_GE(line.size() - around, kMostLabel - 8);
    EXPECT_TRUE(line.ends_with("\u2026\"} 1\n")) << line;
    // No character is cut in two.
    EXPECT_EQ(line.find("\\x"), std::string::npos);
    EXPECT_EQ((line.size() - around - 3) % std::string_view(character).size(), 0U);
  }
}

}  // namespace
}  // namespace dbtrace::output
