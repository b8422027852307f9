// When a query ended.
#pragma once

#include <cstdint>

#include "src/model/query.h"

namespace dbtrace::output::perfetto {

// Whatever a file says: never before its begin.
[[nodiscard]] inline uint64_t end_of(const model::Query& query) {
  const uint64_t end_ns = query.start_ns + query.duration_ns;
  return end_ns < query.start_ns ? UINT64_MAX : end_ns;
}

}  // namespace dbtrace::output::perfetto
