#include "src/output/histogram_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace dbtrace::output {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(HistogramText, DurationsHaveThreeDigits) {
  EXPECT_EQ(rounded_duration(0), "0ns");
  EXPECT_EQ(rounded_duration(999), "999ns");
  EXPECT_EQ(rounded_duration(1'024), "1.02µs");
  EXPECT_EQ(rounded_duration(65'536), "65.5µs");
  EXPECT_EQ(rounded_duration(999'499), "999µs");
  EXPECT_EQ(rounded_duration(999'600), "1.00ms");
  EXPECT_EQ(rounded_duration(123'000'000'000), "123s");
}

TEST(HistogramText, EachRangeHasItsCountAndABar) {
  model::Histogram histogram;
  histogram.add(10, 4);
  histogram.add(11, 1);
  std::string out;
  append_histogram(histogram, out);
  EXPECT_EQ(out,
            "     10ns –    10ns           4 |########################################|\n"
            "     11ns –    11ns           1 |##########                              |\n");
}

TEST(HistogramText, TheMarkedPartOfABarStandsFirst) {
  model::Histogram histogram, marked;
  histogram.add(10, 4);
  histogram.add(11, 2);
  marked.add(10, 1);
  marked.add(11, 2);
  std::string out;
  append_histogram(histogram, marked, out);
  EXPECT_EQ(
      out,
      "     10ns –    10ns           4           1 |##########==============================|\n"
      "     11ns –    11ns           2           2 |####################                    |\n");
}

TEST(HistogramText, BarsFitATerminal) {
  model::Histogram histogram;
  histogram.add(10, 4);
  histogram.add(11, 1);
  const auto drawn = [&](size_t width, bool marks) {
    std::string out;
    marks ? append_histogram(histogram, histogram, out, {.width = width})
          : append_histogram(histogram, out, {.width = width});
    return lines_of(out);
  };
  EXPECT_EQ(drawn(54, false)[1], "     11ns –    11ns           1 |#####               |");
  EXPECT_EQ(drawn(80, false), drawn(0, false));
  EXPECT_EQ(drawn(60, true)[1], "     11ns –    11ns           1           1 |###           |");
  EXPECT_EQ(drawn(10, false)[0], "     10ns –    10ns           4 |##########|");
}

TEST(HistogramText, NoPercentileIsMoreThanTheGreatest) {
  model::Histogram histogram;
  histogram.add(1'000'100, 10);
  std::string out;
  append_percentiles(histogram, 10'001'000, out, 1'000'100);
  EXPECT_EQ(out, "  mean 1.00ms  p50 1.00ms  p90 1.00ms  p99 1.00ms  p99.9 1.00ms  max 1.00ms\n");
}

TEST(HistogramText, MarksAreCountedInWiderRanges) {
  model::Histogram histogram, marked;
  for (uint64_t value = 1; value < 1'000'000'000; value *= 3) histogram.add(value, 10);
  for (uint64_t value = 1; value < 1'000'000'000; value *= 9) marked.add(value, 10);
  std::string out;
  append_histogram(histogram, marked, out);
  uint64_t all = 0, of_them = 0;
  for (const std::string& line : lines_of(out)) {
    std::istringstream words(line);
    std::string from, dash, to;
    uint64_t count = 0, marks = 0;
    words >> from >> dash >> to >> count >> marks;
    all += count;
    of_them += marks;
  }
  EXPECT_EQ(all, histogram.count());
  EXPECT_EQ(of_them, marked.count());
}

TEST(HistogramText, ManyEmptyRangesAreOneLine) {
  model::Histogram histogram;
  histogram.add(1);
  histogram.add(1'000'000'000);
  std::string out;
  append_histogram(histogram, out);
  EXPECT_EQ(lines_of(out).size(), 4U) << out;
  EXPECT_THAT(out, ::testing::HasSubstr("…"));
}

TEST(HistogramText, NothingIsDrawnOfNothing) {
  std::string out;
  append_histogram({}, out);
  append_histogram({}, {}, out);
  append_percentiles({}, 0, out);
  EXPECT_EQ(out, "");
}

}  // namespace
}  // namespace dbtrace::output
