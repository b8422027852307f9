// Wrong command lines, said so that the next one is right.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace dbtrace::commands {

// What is wrong, with the command or option that was probably meant, and where
// help is; for standard error. `first` is the first word of the command line, ""
// without any.
[[nodiscard]] std::string explain_usage(const CLI::App& app, const CLI::ParseError& error,
                                        const std::string& first);

}  // namespace dbtrace::commands
