// A statement that says who it is, through a connection of the user's: whether dbtrace
// tells the truth of it.
#pragma once

#include <vector>

#include "src/client/client.h"
#include "src/commands/doctor/check.h"
#include "src/target/server.h"

namespace dbtrace::commands {

// Connects, traces the server for as long as it takes, and compares. `budget`: where time goes
// can be told. What fails is in the checks.
[[nodiscard]] std::vector<Check> run_canary(const target::Server& server,
                                            const client::Address& address, bool budget);

}  // namespace dbtrace::commands
