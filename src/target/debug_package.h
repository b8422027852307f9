// Which package of the target's distribution holds the debug symbols of a program. Reads
// files beneath the target's root; runs nothing.
#pragma once

#include <optional>
#include <string>

namespace dbtrace::target {

struct DebugPackage {
  std::string distribution;  // "Debian GNU/Linux 12 (bookworm)"
  std::string owner;         // the package that the program belongs to; "" when it is not known
  std::string advice;        // what to do to have its symbols, in one sentence
};

// `root` as in Server::root; "" is the host's. `program` is a path inside it. Nothing: the
// root does not say which distribution it is, or it is one that dbtrace does not know.
[[nodiscard]] std::optional<DebugPackage> debug_package(const std::string& root,
                                                        const std::string& program);

}  // namespace dbtrace::target
