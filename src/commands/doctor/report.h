// What was found, as text for a person or JSON for a program.
#pragma once

#include <string>
#include <vector>

#include "src/commands/doctor/check.h"

namespace dbtrace::commands {

// A line a check, what is lost and what to do below it, and the verdict at the end; in 80 columns.
[[nodiscard]] std::string doctor_text(const std::vector<Section>& sections);

// One object: works (whether `queries` does), verdict, and sections, each with about ("machine",
// "server", "canary"), title and checks: subject, state, found, lost and advice, null where there
// is nothing.
[[nodiscard]] std::string doctor_json(const std::vector<Section>& sections);

}  // namespace dbtrace::commands
