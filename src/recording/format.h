// Numbers that stand for something in a recording's rows: the same for who writes and who reads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/model/budget.h"

namespace dbtrace::recording {

// text.form
enum class TextForm : uint8_t {
  Copied,       // the query's own
  Fingerprint,  // its kind's only
  Unreadable,   // it could not be copied
  None,         // the command carries none
};

// query.known: a sum of these.
inline constexpr unsigned kIoKnown = 1, kWaitsKnown = 2, kStacksKnown = 4, kSamplesKnown = 8;

// Whatever stands in the file.
[[nodiscard]] inline model::Cause cause_of(uint64_t number) {
  return static_cast<model::Cause>(std::min<uint64_t>(number, model::kCauses - 1));
}

// single_io.flags: a sum of these.
inline constexpr unsigned kBlocked = 1, kAsynchronous = 2;

// Between the frames of a stack.
inline constexpr char kFrameEnd = '\n';

}  // namespace dbtrace::recording
