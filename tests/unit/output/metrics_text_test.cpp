// Prometheus' text, whatever the labels hold.
#include "src/output/metrics_text.h"

#include <gtest/gtest.h>

namespace dbtrace::output {
namespace {

std::string with_label(std::string_view value) {
  std::string out;
  MetricsText text(out);
  text.metric("m", "gauge", "Help.");
  out.clear();
  text.sample({{"l", value}}, uint64_t{1});
  return out;
}

TEST(MetricsText, IsASampleALine) {
  std::string out;
  MetricsText text(out);
  text.metric("dbtrace_x_total", "counter", "What x is.");
  text.sample({}, uint64_t{18446744073709551615U});
  text.sample({{"a", "b"}, {"c", ""}}, uint64_t{0});
  text.sample_seconds({{"a", "b"}}, 1'000'000'001);
  text.part("bucket", {{"le", "+Inf"}}, "3");
  EXPECT_EQ(out,
            "# HELP dbtrace_x_total What x is.\n# TYPE dbtrace_x_total counter\n"
            "dbtrace_x_total 18446744073709551615\n"
            "dbtrace_x_total{a=\"b\",c=\"\"} 0\n"
            "dbtrace_x_total{a=\"b\"} 1.000000001\n"
            "dbtrace_x_total_bucket{le=\"+Inf\"} 3\n");
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
    EXPECT_LE(line.size() - around, MetricsText::kMostLabel);
    EXPECT_GE(line.size() - around, MetricsText::kMostLabel - 8);
    EXPECT_TRUE(line.ends_with("\u2026\"} 1\n")) << line;
    // No character is cut in two.
    EXPECT_EQ(line.find("\\x"), std::string::npos);
    EXPECT_EQ((line.size() - around - 3) % std::string_view(character).size(), 0U);
  }
}

}  // namespace
}  // namespace dbtrace::output
