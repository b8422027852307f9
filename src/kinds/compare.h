// What differs between two runs, kind by kind, and is neither chance nor too little to
// matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/kinds/slices.h"
#include "src/model/histogram.h"

namespace dbtrace::kinds {

// Of one kind in one run. Times in nanoseconds.
struct Measured {
  uint64_t count = 0;
  uint64_t total_ns = 0;
  uint64_t max_ns = 0;
  model::Histogram durations;
  std::vector<Slice> slices;  // of them; none: not known

  [[nodiscard]] uint64_t mean_ns() const { return count ? total_ns / count : 0; }
};

struct Pair {
  std::string id;
  std::string text;
  std::optional<Measured> before;
  std::optional<Measured> after;
};

enum class Verdict : uint8_t {
  Slower,  // in general
  Faster,
  SlowerTail,  // in its slowest part only
  FasterTail,
  Appeared,
  Vanished,
  Same,    // no difference that is both sure and large enough
  TooFew,  // queries to say anything
};

struct CompareOptions {
  // The chance that a report of two runs that do not differ names any kind at all: what
  // the tests of all kinds share (Holm's method).
  double alpha = 0.01;
  // A median (or, in the tail, a 95th percentile) that changes by less is the same, however
  // sure that is: two runs of one program on one machine differ, too.
  double least_change = 0.2;
  double before_seconds = 1;
  double after_seconds = 1;
};

// Besides least_change: the chance that a query of one run takes longer than one of the
// other must differ from 1/2 by this (Vargha and Delaney call 0.56 a small effect).
inline constexpr double kLeastSuperiority = 0.06;
// In the tail instead: of one run so many times more of its queries must be among the
// slowest of both than of the other.
inline constexpr double kLeastTailRatio = 1.5;
// Fewer in a run tell nothing.
inline constexpr uint64_t kFewest = 10;

struct Difference {
  size_t pair = 0;  // its place in the input
  Verdict verdict = Verdict::Same;
  double p = 1;              // of the test that decided, corrected for the number of tests
  double superiority = 0.5;  // as in RankTest
  // How much more time a second this kind takes than before: the order of the result.
  double seconds_per_second = 0;
};

// The greatest change of load first.
[[nodiscard]] std::vector<Difference> compare(const std::vector<Pair>& pairs,
                                              const CompareOptions& options);

}  // namespace dbtrace::kinds
