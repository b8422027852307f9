// What each kind came to in each bucket, as JSON. Private to this room.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/report/collector.h"
#include "src/report/places.h"

namespace dbtrace::report {

// A list of cells, [bucket, kind's place, count, errors, total_ns, max_ns, [cause, ns, …],
// [bucket of durations, count, …]]; kinds without a place are one cell of a bucket.
void append_cells(const std::vector<Bucket>& buckets, const Places<uint32_t>& kinds,
                  std::string& json);

}  // namespace dbtrace::report
