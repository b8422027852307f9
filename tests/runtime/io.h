// What the tests of `dbtrace io` share.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/temporary_folder.h"

namespace dbtrace::testing {

// "… file operations seen: …" at the end of a run.
struct IoAccount {
  int64_t seen = 0, told = 0, filtered = 0, lost = 0;
  [[nodiscard]] static IoAccount of(const std::string& errors);
};

// `dbtrace io --format json` from the constructor to finish().
class IoTrace {
 public:
  explicit IoTrace(std::vector<std::string> options);

  // Ends it with Ctrl-C; expects that it ended in order, and that its account adds up.
  std::vector<nlohmann::json> finish();
  // The last line of finish(): the whole run.
  nlohmann::json total();

  [[nodiscard]] DbtraceProcess& process() { return process_; }
  [[nodiscard]] const IoAccount& account() const { return account_; }

 private:
  DbtraceProcess process_;
  IoAccount account_;
};

// The sum of a number over the rows that are wanted.
[[nodiscard]] int64_t sum_of(const nlohmann::json& table, const std::string& member,
                             const std::function<bool(const nlohmann::json& row)>& wanted);

// A plan for the stub whose queries do known things (fixtures/servers/README.md, "budget").
class IoPlan {
 public:
  explicit IoPlan(const std::vector<std::string>& lines);
  [[nodiscard]] std::string folder() const { return folder_.path(); }
  // What was done, by connection or name of thread.
  [[nodiscard]] std::vector<nlohmann::json> results() const;

 private:
  TemporaryFolder folder_;
};

}  // namespace dbtrace::testing
