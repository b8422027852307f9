// From addresses to frames with names.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/model/stack.h"
#include "src/stacks/collector.h"
#include "src/stacks/frame_table.h"
#include "symbols/symbolizer.h"

namespace dbtrace::stacks {

// Not thread-safe. What it refers to must outlive it.
class Namer {
 public:
  // What `unwinder` knows, too, is where functions without names begin. `lines`: also inlined
  // functions and source lines, where debug information says so.
  Namer(symbols::Symbolizer& symbolizer, Unwinder& unwinder, FrameTable& frames, bool lines)
      : symbolizer_(symbolizer), unwinder_(unwinder), frames_(frames), lines_(lines) {}

  // The frames of a stack, outermost first.
  [[nodiscard]] std::vector<model::FrameId> name(uint32_t pid, const AddressStack& stack);
  // The samples of a command.
  [[nodiscard]] std::vector<model::Sample> name(uint32_t pid, const CommandStacks& stacks);

 private:
  // The frames of an address, outermost first: one, and what is inlined in it.
  [[nodiscard]] const std::vector<model::FrameId>& user(uint32_t pid, uint64_t address);
  void add_lines(uint32_t pid, uint64_t address, std::vector<model::Frame>& frames);
  void kernel(const std::vector<uint64_t>& addresses, std::vector<model::FrameId>& frames);

  symbols::Symbolizer& symbolizer_;
  Unwinder& unwinder_;
  FrameTable& frames_;
  bool lines_;
  // By pid and address.
  std::unordered_map<uint32_t, std::unordered_map<uint64_t, std::vector<model::FrameId>>> known_;
  std::unordered_map<uint64_t, model::FrameId> known_kernel_;
};

}  // namespace dbtrace::stacks
