// What a tracer can give up while it traces, without losing count of a single command.
#pragma once

#include <cstddef>
#include <string_view>

#include "bpf/event.h"

namespace dbtrace::attach {

enum class Feature {
  Stacks,  // of threads in slow commands
  Files,   // operations on files
  Time,    // what threads spend their time with: budgets, blockers and waits
};
inline constexpr size_t kFeatures = 3;

// DBT_SHED_*
[[nodiscard]] constexpr unsigned shed_bit(Feature feature) {
  switch (feature) {
    case Feature::Stacks:
      return DBT_SHED_STACKS;
    case Feature::Files:
      return DBT_SHED_FILES;
    case Feature::Time:
      return DBT_SHED_TIME;
  }
  return 0;
}

}  // namespace dbtrace::attach
