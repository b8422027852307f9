// The attach plan in words: `--explain`.
#pragma once

#include <string>

#include "src/attach/file_hook.h"
#include "src/attach/plan.h"
#include "src/target/server.h"
#include "symbols/finder.h"
#include "symbols/result.h"

namespace dbtrace::commands {

[[nodiscard]] std::string explain(const target::Server& server, const symbols::Finder& finder,
                                  const attach::Plan& plan);

// Where the dispatch function has what it is called with; only of servers that have one.
[[nodiscard]] std::string describe_arguments(const attach::Plan& plan);

// How operations on files would be seen, and why not in a better way.
[[nodiscard]] std::string explain_files(const Result<attach::FileHookChoice>& choice);

}  // namespace dbtrace::commands
