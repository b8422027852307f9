// `dbtrace record`: queries into a file that can be looked at later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "src/commands/record/flight_watch.h"
#include "src/commands/tracing/query_choice.h"
#include "src/commands/tracing/session.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

struct RecordOptions {
  SessionOptions session;
  QueryChoice choice;
  std::string file;
  bool literals = false;  // texts as they are, but for passwords
  bool no_budget = false;
  bool operations = false;     // on files, each of them
  uint64_t max_bytes = 0;      // of the file; 0: no limit
  uint64_t rotate_bytes = 0;   // of each file; 0: there is one only
  size_t keep = 10;            // files, with rotate_bytes
  FlightOptions flight;        // `file` is a folder then
  uint64_t max_rate = 20'000;  // queries a second that are kept whole (recording::RateLimit)
};

CLI::App* add_record_command(CLI::App& app, RecordOptions& options);

// Returns the exit code: 0 done, 1 failed, 2 wrong usage or no target.
[[nodiscard]] int run_record(const RecordOptions& options);

}  // namespace dbtrace::commands
