// What the machine and the user's rights come to.
#pragma once

#include <vector>

#include "src/attach/machine.h"
#include "src/attach/trial.h"
#include "src/commands/doctor/check.h"

namespace dbtrace::commands {

// `trials` is null where nothing can be tried: the checks say why.
[[nodiscard]] std::vector<Check> machine_checks(const attach::Machine& machine,
                                                const attach::Trials* trials);

}  // namespace dbtrace::commands
