// What happened to every command that was seen: the account at the end of a
// run, where nothing may be lost without being said.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/attach/tracer.h"
#include "src/commands/tracing/attachments.h"
#include "symbols/result.h"

namespace dbtrace::commands {

struct Tally {
  attach::Counters kernel{};
  uint64_t shown = 0;      // written to their end
  uint64_t filtered = 0;   // by user space
  uint64_t surplus = 0;    // that nobody could be shown: after --limit, the reader's end, …
  uint64_t reported = 0;   // while they ran; besides, their end is shown and counted
  uint64_t dropped = 0;    // that could not be written as fast as they came
  uint64_t malformed = 0;  // events that could not be decoded
  std::string_view shown_as = "shown";
};

// With what the kernel and the decoders have counted.
[[nodiscard]] Result<Tally> completed(Tally tally, const Attachments& attachments);

// Commands (or statements) of which nothing can be told.
[[nodiscard]] uint64_t lost(const Tally& tally);

// Commands that are known to be over.
[[nodiscard]] uint64_t seen(const Tally& tally);
// Commands that nobody wanted to see, by the kernel or by user space.
[[nodiscard]] uint64_t filtered(const Tally& tally);

struct LossClass {
  uint64_t count;
  std::string_view name;
  std::string_view advice;
};
// What lost() is made of, and of what commands that are told of lack a part.
[[nodiscard]] std::array<LossClass, 6> classes_of_lost(const Tally& tally);
[[nodiscard]] std::array<LossClass, 6> classes_of_incomplete(const Tally& tally);

// One line, or several when something was lost.
[[nodiscard]] std::string summary(const Tally& tally);

// Of commands that nothing can be told of: lines, or nothing when there are none.
[[nodiscard]] std::string losses(const attach::Counters& kernel);

}  // namespace dbtrace::commands
