// Single operations on files on their way into a recording: as many a second as are wanted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/commands/io/process_names.h"
#include "src/commands/record/notes.h"
#include "src/commands/record/recorder.h"
#include "src/commands/tracing/attachments.h"
#include "src/model/io_operation.h"
#include "src/target/server.h"

namespace dbtrace::commands {

// Not thread-safe.
class OperationRecord {
 public:
  // `most`: operations to keep of those that end in one second; 0: all.
  OperationRecord(const std::vector<target::Server>& servers, uint64_t most, Recorder& recorder)
      : names_(servers), most_(most), recorder_(recorder) {}

  void take(const model::IoOperation& operation);
  [[nodiscard]] const OperationTally& tally() const { return tally_; }
  // A line, or several when something is missing. After Recorder::finish().
  [[nodiscard]] std::string account(const attach::Counters& counters) const;

 private:
  [[nodiscard]] bool is_too_much(uint64_t end_ns);

  ProcessNames names_;
  uint64_t most_;
  Recorder& recorder_;
  uint64_t second_ = 0;     // that the last one ended in
  uint64_t in_second_ = 0;  // so many of them
  OperationTally tally_;
};

}  // namespace dbtrace::commands
