// A histogram of durations for a person.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "src/model/histogram.h"

namespace dbtrace::output {

// Three digits: a histogram knows no more.
[[nodiscard]] std::string rounded_duration(uint64_t nanoseconds);

// With spaces before it, `columns` wide: "µs" has one byte more than columns.
[[nodiscard]] std::string padded(const std::string& text, size_t columns);

// A line of mean, percentiles and the longest. Nothing for an empty histogram. `max_ns`: where it
// is known exactly.
void append_percentiles(const model::Histogram& histogram, uint64_t total_ns, std::string& out,
                        std::optional<uint64_t> max_ns = {});

// Lines of ranges, counts and bars; where many ranges in a row are empty, one stands for
// all of them.
struct HistogramShape {
  size_t ranges = 20;  // see Histogram::ranges
  size_t width = 0;    // columns of the terminal that bars have to fit; 0: none
};
void append_histogram(const model::Histogram& histogram, std::string& out,
                      const HistogramShape& shape = {});

// The same, with a column that says how many are in `marked`, too, which has a part of
// the values. That part of a bar is drawn with kMarked, the rest with kUnmarked.
inline constexpr char kMarked = '#', kUnmarked = '=';
void append_histogram(const model::Histogram& histogram, const model::Histogram& marked,
                      std::string& out, const HistogramShape& shape = {});

}  // namespace dbtrace::output
