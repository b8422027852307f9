// What processes are called that all have the server's name, by their titles.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/model/io_operation.h"
#include "src/target/process.h"
#include "src/target/server.h"

namespace dbtrace::commands {

// Not thread-safe. Memory is bounded by kMax: when it is full, all are looked up again.
class ProcessNames {
 public:
  static constexpr size_t kMax = 4096;
  // For this long a name is believed: ids of processes are used again.
  static constexpr std::chrono::seconds kTrust{10};

  explicit ProcessNames(const std::vector<target::Server>& servers);

  // As one of the servers' profiles knows it (profiles::Profile::process_name); empty: none does.
  // Valid until the next call.
  [[nodiscard]] const std::string& of(uint32_t pid);
  // The operation; if it is a background thread's, with that for its thread's name, if there is
  // one. Valid until the next call.
  [[nodiscard]] const model::IoOperation& named(const model::IoOperation& operation);

 private:
  using Clock = std::chrono::steady_clock;
  struct Known {
    std::string name;
    Clock::time_point since;
  };

  std::vector<const profiles::Profile*> profiles_;  // that know names
  target::Proc proc_;
  model::IoOperation named_;
  std::unordered_map<uint32_t, Known> known_;
};

}  // namespace dbtrace::commands
