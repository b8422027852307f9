// What an answer means for what was sent.
#pragma once

#include <cstdint>
#include <string>

#include "src/http/answer.h"

namespace dbtrace::otlp {

enum class Verdict {
  Taken,
  TryAgain,  // 429, 502, 503, 504
  Refused,   // would be again
};

// An ExportPartialSuccess: what was taken was not taken whole.
struct Outcome {
  Verdict verdict;
  uint64_t rejected = 0;  // items
  std::string message;    // the collector's, as a person may see it; empty: none
};

[[nodiscard]] Outcome outcome_of(const http::Answer& answer);

}  // namespace dbtrace::otlp
