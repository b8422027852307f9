// The attach plan in words: `--explain`.
#pragma once

#include <string>

#include "src/attach/plan.h"
#include "src/target/server.h"
#include "symbols/finder.h"

namespace dbtrace::commands {

[[nodiscard]] std::string explain(const target::Server& server, const symbols::Finder& finder,
                                  const attach::Plan& plan);

}  // namespace dbtrace::commands
