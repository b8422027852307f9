// What `dbtrace stacks` tells of what clients do on a server.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/runtime/dbtrace_process.h"

namespace dbtrace::testing {

// `dbtrace stacks --format json` from the constructor to finish().
class StackTrace {
 public:
  explicit StackTrace(pid_t server, const std::vector<std::string>& options = {});

  // Waits for as many queries, then ends it.
  std::vector<nlohmann::json> finish(size_t least);
  // What it has said; complete after finish().
  [[nodiscard]] std::string errors() const { return process_.errors(); }
  [[nodiscard]] DbtraceProcess& process() { return process_; }

 private:
  DbtraceProcess process_;
};

// The names of a stack's frames, the outermost first.
[[nodiscard]] std::vector<std::string> names_of(const nlohmann::json& stack);
// The time of the stacks that pass through a function, of a cause if one is given.
[[nodiscard]] int64_t ns_in(const nlohmann::json& query, const std::string& function,
                            const std::string& cause = "");
// The time of all stacks, of a cause if one is given.
[[nodiscard]] int64_t ns_of_stacks(const nlohmann::json& query, const std::string& cause = "");

}  // namespace dbtrace::testing
