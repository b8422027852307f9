// What a server's binary and memory come to. Reads; attaches nothing.
#pragma once

#include <vector>

#include "src/attach/plan.h"
#include "src/commands/doctor/check.h"
#include "src/target/server.h"

namespace dbtrace::commands {

// `may_load`: the kernel is asked whether it takes the programs, too.
[[nodiscard]] std::vector<Check> server_checks(const target::Server& server, bool may_load);

// Parts of the above: what the plan has found, and not.
[[nodiscard]] std::vector<Check> plan_checks(const attach::Plan& plan);

}  // namespace dbtrace::commands
