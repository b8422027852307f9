// What queries have spent their time with, from their budgets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "src/model/query.h"
#include "src/model/sums.h"
#include "src/model/wait_events.h"
#include "src/model/wait_sums.h"

namespace dbtrace::commands::top {

// A plain value.
struct Spent {
  static constexpr size_t kMostEvents = 500;

  model::WaitSums waits;
  bool has_budgets = false;  // else nobody measured what `waits` are about
  uint64_t ns = 0;           // in the server

  void add_waits(const model::Query& query) {
    if (query.budget) add(query.budget->by_cause_ns);
    if (query.named_waits) model::add_waits(*query.named_waits, kMostEvents, waits);
  }
  void add(const model::Sums& sums) {
    if (sums.budgets) add(sums.by_cause_ns);
    ns += sums.total_ns;
  }

 private:
  void add(const std::array<uint64_t, model::kCauses>& by_cause_ns) {
    has_budgets = true;
    for (size_t i = 0; i < model::kCauses; ++i) waits.ns[i] += by_cause_ns[i];
  }
};

}  // namespace dbtrace::commands::top
