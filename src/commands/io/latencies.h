// How long operations on files took: sums and histograms.
#pragma once

#include <algorithm>

#include "src/model/budget.h"
#include "src/model/histogram.h"
#include "src/model/io_operation.h"

namespace dbtrace::commands {

struct Latencies {
  model::IoCount sum;
  model::Histogram all;      // of nanoseconds
  model::Histogram blocked;  // of those that gave up the core

  void add(const model::IoOperation& operation) {
    ++sum.count;
    sum.blocked += operation.blocked;
    sum.bytes += operation.bytes;
    sum.ns += operation.duration_ns;
    sum.max_ns = std::max(sum.max_ns, operation.duration_ns);
    all.add(operation.duration_ns);
    if (operation.blocked) blocked.add(operation.duration_ns);
  }

  void merge(const Latencies& other) {
    sum.count += other.sum.count;
    sum.blocked += other.sum.blocked;
    sum.bytes += other.sum.bytes;
    sum.ns += other.sum.ns;
    sum.max_ns = std::max(sum.max_ns, other.sum.max_ns);
    all.merge(other.all);
    blocked.merge(other.blocked);
  }
};

}  // namespace dbtrace::commands
