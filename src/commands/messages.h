// What commands tell on standard error, and how they end.
#pragma once

#include <string>

#include "symbols/result.h"

namespace dbtrace::commands {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;    // wrong usage, or nothing to trace
inline constexpr int kTooDear = 3;  // --max-overhead ended it

// "dbtrace: what\n  hint\n", fit for a terminal.
[[nodiscard]] std::string text_of(const Error& error);

// Prints it and returns `code`. Not while tracing: a terminal may take no more.
int complain(const Error& error, int code);

}  // namespace dbtrace::commands
