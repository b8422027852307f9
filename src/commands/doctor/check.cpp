#include "src/commands/doctor/check.h"

#include <fmt/format.h>

namespace dbtrace::commands {

std::string_view state_name(CheckState state) {
  switch (state) {
    case CheckState::Ok:
      return "ok";
    case CheckState::Degraded:
      return "degraded";
    case CheckState::Missing:
      break;
  }
  return "missing";
}

Verdict verdict(const std::vector<Section>& sections) {
  std::vector<std::string_view> less;
  for (const Section& section : sections) {
    for (const Check& check : section.checks) {
      if (check.state == CheckState::Missing)
        return {CheckState::Missing,
                fmt::format("{}: {}: {}",
                            section.about == Section::About::Canary ? "not proved"
                                                                    : "queries does not work",
                            check.subject, check.found.substr(0, check.found.find('\n')))};
      if (check.state == CheckState::Degraded) less.push_back(check.subject);
    }
  }
  if (less.empty()) return {CheckState::Ok, "queries works here"};
  return {CheckState::Degraded, fmt::format("queries works with less: {}", fmt::join(less, "; "))};
}

}  // namespace dbtrace::commands
