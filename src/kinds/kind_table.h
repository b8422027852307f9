// What the queries of each kind come to: in the present interval, and in those before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/kinds/kinds.h"
#include "src/model/query.h"
#include "src/model/sums.h"

namespace dbtrace::kinds {

// Fed with queries, one by one, or with sums that somebody else (the kernel, see
// kernel_sums.h) has made of many. Memory is bounded by KindOptions::max_kinds: some
// kilobytes each for the histograms. Not thread-safe.
class KindTable {
 public:
  explicit KindTable(const KindOptions& options) : kinds_(options) {}

  void add(const model::Query& query);
  // Queries that are all of the same kinds, as kinds().of() tells for one of them.
  void add(std::span<const uint32_t> kinds, const model::Sums& sums);

  [[nodiscard]] Kinds& kinds() { return kinds_; }
  [[nodiscard]] const Kinds& kinds() const { return kinds_; }

  // Since the last end_interval(), or the beginning.
  [[nodiscard]] const model::Sums& interval(uint32_t kind) const { return at(interval_, kind); }
  // Until the last end_interval().
  [[nodiscard]] const model::Sums& total(uint32_t kind) const { return at(total_, kind); }
  // Of all kinds together, each query once.
  [[nodiscard]] const model::Sums& interval_of_all() const { return interval_of_all_; }
  [[nodiscard]] const model::Sums& total_of_all() const { return total_of_all_; }

  // Adds the interval to the total, and begins another.
  void end_interval();
  // Begins another, as if nothing had been added to this one.
  void drop_interval();

 private:
  static const model::Sums& at(const std::vector<model::Sums>& sums, uint32_t kind);

  Kinds kinds_;
  std::vector<model::Sums> interval_;  // by kind; shorter while the last ones have none
  std::vector<model::Sums> total_;
  model::Sums interval_of_all_;
  model::Sums total_of_all_;
};

}  // namespace dbtrace::kinds
