// What verdicts are called: one table for both formats.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "src/kinds/compare.h"

namespace dbtrace::commands {

struct VerdictName {
  kinds::Verdict verdict;
  std::string_view text;
  std::string_view json;
  bool is_finding;
};

// In the order of kinds::Verdict.
inline constexpr std::array<VerdictName, 8> kVerdictNames = {{
    {kinds::Verdict::Slower, "slower", "slower", true},
    {kinds::Verdict::Faster, "faster", "faster", true},
    {kinds::Verdict::SlowerTail, "slower tail", "slower_tail", true},
    {kinds::Verdict::FasterTail, "faster tail", "faster_tail", true},
    {kinds::Verdict::Appeared, "appeared", "appeared", true},
    {kinds::Verdict::Vanished, "vanished", "vanished", true},
    {kinds::Verdict::Same, "same", "same", false},
    {kinds::Verdict::TooFew, "too few", "too_few", false},
}};

static_assert([] {
  for (size_t i = 0; i < kVerdictNames.size(); ++i)
    if (kVerdictNames[i].verdict != static_cast<kinds::Verdict>(i)) return false;
  return true;
}());

[[nodiscard]] constexpr const VerdictName& name_of(kinds::Verdict verdict) {
  return kVerdictNames[static_cast<size_t>(verdict)];
}
// Whether it says that something has changed.
[[nodiscard]] constexpr bool is_finding(kinds::Verdict verdict) {
  return name_of(verdict).is_finding;
}

}  // namespace dbtrace::commands
