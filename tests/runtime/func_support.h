// What the tests of `dbtrace func` share: the stub that is left in every way, and
// what was printed about it.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {

inline constexpr const char* kThrowing = "throwing/throwing";

// dbtrace func, attached to a stub, and what it says of one script of the stub.
class FuncRun {
 public:
  explicit FuncRun(const std::vector<std::string>& arguments, StubServer& server)
      : server_(server) {
    std::vector<std::string> line = {"func", "--format", "json", "-p", server.pid_text()};
    line.insert(line.end(), arguments.begin(), arguments.end());
    dbtrace_ = std::make_unique<DbtraceProcess>(line);
    dbtrace_->wait_until_attached();
  }

  // Has the stub run its script, then ends dbtrace. Throws when it fails.
  std::vector<nlohmann::json> script() {
    server_.run_script();
    return stop();
  }
  std::vector<nlohmann::json> stop() {
    if (dbtrace_->stop() != 0) throw std::runtime_error("dbtrace failed:\n" + errors());
    return dbtrace_->queries();
  }
  [[nodiscard]] std::string errors() const { return dbtrace_->errors(); }
  [[nodiscard]] DbtraceProcess& dbtrace() { return *dbtrace_; }

 private:
  StubServer& server_;
  std::unique_ptr<DbtraceProcess> dbtrace_;
};

// How many bytes of the program's code in the process's memory differ from its
// file: breakpoints. Throws when the process is gone.
[[nodiscard]] size_t changed_bytes_of_code(pid_t pid);

// What dbtrace says: "attached to 3 functions (7 probes)".
[[nodiscard]] size_t probes_in(const std::string& errors);

// A member of each function's line about the whole run.
template <typename Value>
std::map<std::string, Value> totals(const std::vector<nlohmann::json>& lines,
                                    const std::string& member) {
  std::map<std::string, Value> values;
  for (const nlohmann::json& line : lines)
    if (line["span"] == "total") values[line["function"]] = line[member].get<Value>();
  return values;
}

}  // namespace dbtrace::testing
