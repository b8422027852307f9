// Formats that are some servers' own log: they have no place for what others tell.
#pragma once

#include <string>
#include <vector>

#include "profiles/profile.h"
#include "src/output/sink.h"
#include "src/recording/reader.h"
#include "src/target/server.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// Whether these servers have such a log, where the format is one. Errors name the one that fits.
[[nodiscard]] Result<void> check_format(output::Format format,
                                        const std::vector<target::Server>& servers);
// Of a recording: those of a flavor that nobody knows are taken on trust (a fork's --profile was
// given when it was made).
[[nodiscard]] Result<void> check_format(output::Format format,
                                        const std::vector<recording::ServerNote>& servers);

}  // namespace dbtrace::commands
