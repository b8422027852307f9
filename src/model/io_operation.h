// IoOperation: one operation on a file by a thread of a server, for those who look at each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "src/model/budget.h"

namespace dbtrace::model {

// All times in nanoseconds.
struct IoOperation {
  uint64_t start_ns = 0;     // wall clock, since the Unix epoch
  uint64_t duration_ns = 0;  // from begin to end, on-CPU time included
  FileOperation operation = FileOperation::Read;
  File file;
  std::optional<uint64_t> offset;  // none: where the file stood, or a sync
  uint64_t bytes = 0;              // that were read or written
  uint32_t error = 0;              // errno; 0: it succeeded
  bool blocked = false;            // gave up the core, for the device or a lock
  // The server submitted it and went on; it lasted until its result was collected. Thread and
  // command are those that submitted it.
  bool asynchronous = false;
  uint32_t pid = 0;
  uint32_t tid = 0;
  std::string thread;  // its name
  // With pid and tid: Query::start_ns of the command that it was done for, unless the
  // wall clock was stepped before that ended. None: a background thread.
  std::optional<uint64_t> command_start_ns;
};

}  // namespace dbtrace::model
