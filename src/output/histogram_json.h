// Times and histograms as members of JSON objects: the same for all commands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/model/histogram.h"
#include "src/output/clock_text.h"
#include "src/output/json_writer.h"

namespace dbtrace::output {

// "2026-11-29T20:42:42.914055932Z". Not thread-safe.
class JsonTime {
 public:
  void add(std::string_view key, uint64_t time_ns, JsonObject& object, std::string& out);

 private:
  ClockText clock_{Zone::Utc, "%Y-%m-%dT%H:%M:%S"};
};

// mean_ns (with `total_ns`, the sum of the values), p50_ns, p90_ns, p99_ns, p999_ns and max_ns;
// null when it is empty. `max_ns`: where it is known exactly.
void add_percentiles(const model::Histogram& histogram, std::optional<uint64_t> total_ns,
                     JsonObject& object, std::optional<uint64_t> max_ns = {});

// The buckets in use: [[least,greatest,count],…].
void append_buckets(const model::Histogram& histogram, std::string& out);
// The same with the number of those that are in `marked`, too, which has a part of the
// values: [[least,greatest,count,marked],…].
void append_buckets(const model::Histogram& histogram, const model::Histogram& marked,
                    std::string& out);

}  // namespace dbtrace::output
