// Recordings' worth of queries, the same in every run.
#pragma once

#include <cstdint>
#include <string>

#include "src/report/about.h"
#include "src/report/collector.h"

namespace dbtrace::report {

inline constexpr uint64_t kBegin = 1'790'000'000'000'000'000;
inline constexpr uint64_t kSecond_ns = 1'000'000'000;

[[nodiscard]] model::Query query_of(const std::string& text, uint64_t start_ns,
                                    uint64_t duration_ns);

// Of `seconds` from kBegin on.
[[nodiscard]] About about(uint64_t seconds);
[[nodiscard]] Collector collector(uint64_t seconds);
// Takes it into the bucket that it ends in.
void take(Collector& collector, const model::Query& query);
void finish(Collector& collector);

// A shop's ten minutes: budgets, files, locks, wait events, stacks, and a bad minute.
[[nodiscard]] Collector shop(uint64_t queries);

// Texts and names that want to be more than that.
extern const char* const kHostile[];
extern const size_t kHostiles;
[[nodiscard]] Collector hostile();
[[nodiscard]] About hostile_about();

}  // namespace dbtrace::report
