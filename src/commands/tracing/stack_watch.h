// The stacks of slow queries, from what the kernel tells to names. What commands that show
// stacks share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "src/commands/tracing/attachments.h"
#include "src/model/query.h"
#include "src/model/stack.h"
#include "src/stacks/collector.h"
#include "src/stacks/frame_table.h"
#include "src/stacks/namer.h"
#include "src/stacks/unwinder.h"
#include "src/stream/decoder.h"
#include "src/target/server.h"
#include "symbols/patience.h"
#include "symbols/result.h"
#include "symbols/symbolizer.h"

namespace dbtrace::commands {

// Not thread-safe.
class StackWatch {
 public:
  // `lines`: also inlined functions and source lines.
  StackWatch(const attach::StackOptions& options, bool lines);
  StackWatch(const StackWatch&) = delete;
  StackWatch& operator=(const StackWatch&) = delete;

  // Reads what is needed to name the code of these servers: some tenths of a second, which
  // nobody should have to wait for when a query has ended.
  void get_ready(const std::vector<target::Server>& servers);

  // What Consumer::take_stack gets.
  void take(std::span<const std::byte> event);
  // Several times a second: looks at what waits.
  [[nodiscard]] Result<void> tick(Attachments& attachments);

  // The stacks of the query that `decoder` has just returned. Of one that has ended they are
  // told once.
  [[nodiscard]] std::vector<model::Sample> of(const model::Query& query,
                                              const stream::Decoder& decoder);
  [[nodiscard]] stacks::FrameTable& frames() { return frames_; }

  [[nodiscard]] uint64_t dropped() const { return collector_.dropped(); }
  [[nodiscard]] uint64_t malformed() const { return malformed_; }

 private:
  static constexpr size_t kObservedMax = 10'000;
  void observe(uint32_t pid);

  stacks::Unwinder unwinder_;
  stacks::Collector collector_;
  symbols::Symbolizer symbolizer_;
  stacks::FrameTable frames_;
  stacks::Namer namer_;
  std::unordered_set<uint32_t> observed_;
  symbols::Patience patience_;
  uint64_t malformed_ = 0;
};

// The `most` heaviest of the stacks that are the same in all frames, by time. The kernel's
// frames are left out: the cause says what they do.
[[nodiscard]] std::vector<model::NamedStack> heaviest(const std::vector<model::Sample>& samples,
                                                      const stacks::FrameTable& frames,
                                                      size_t most);

}  // namespace dbtrace::commands
