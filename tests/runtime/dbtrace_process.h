// The program under test, run as a person would run it.
#pragma once

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/runtime/child_process.h"
#include "tests/runtime/temporary_folder.h"

namespace dbtrace::testing {

// What `--format json` writes; an unfinished last line is left out. Throws
// nlohmann::json::parse_error at a line that is not JSON.
[[nodiscard]] std::vector<nlohmann::json> parse_lines(std::string_view text);
// Of what `queries` writes: the queries, and how many it says are lost, by class.
[[nodiscard]] std::vector<nlohmann::json> queries_of(std::string_view text);
[[nodiscard]] std::map<std::string, uint64_t> losses_of(std::string_view text);

class DbtraceProcess {
 public:
  // Arguments without the program's name. stdout goes to a file, or to
  // `output_fd` if that is given.
  explicit DbtraceProcess(const std::vector<std::string>& arguments, int output_fd = -1);

  // Waits for the line on stderr that says the probes are in place. Throws
  // std::runtime_error with stderr's text if the program ends before that, or
  // takes longer.
  void wait_until_attached(std::chrono::milliseconds timeout = std::chrono::seconds(60));
  // Ctrl-C, then wait(). Throws if the program does not end.
  int stop();
  // The exit code (128 + signal if one ended it), once it ends by itself. Throws
  // if it does not within the time.
  int wait(std::chrono::milliseconds timeout = std::chrono::seconds(60));
  // SIGKILL.
  void kill();

  // What it printed so far; complete after stop() or wait().
  [[nodiscard]] std::string output() const;
  [[nodiscard]] std::string errors() const;
  [[nodiscard]] std::vector<nlohmann::json> queries() const { return queries_of(output()); }
  // Waits until stdout has at least this many lines; false if it never does.
  [[nodiscard]] bool wait_for_lines(size_t count,
                                    std::chrono::milliseconds timeout = std::chrono::seconds(10));

  [[nodiscard]] ChildProcess& process() { return process_; }

 private:
  TemporaryFolder folder_;
  ChildProcess process_;
};

// Runs it to its end.
struct DbtraceResult {
  int exit_code = -1;
  std::string output;
  std::string errors;
};
[[nodiscard]] DbtraceResult run_dbtrace(const std::vector<std::string>& arguments);

}  // namespace dbtrace::testing
