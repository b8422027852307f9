// What the code of a server was doing while a query ran: stacks with weights. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/model/budget.h"

namespace dbtrace::model {

// One function in a stack.
struct Frame {
  enum class Kind : uint8_t {
    User,
    Inlined,  // in the code of its caller, the frame before it
    Kernel,
    Marker,  // no function: says something of the stack, "[broken off]"
  };
  Kind kind = Kind::User;
  std::string name;     // "row_search_mvcc"; "mariadbd+0x12ab": in no known function
  std::string module;   // the file without its folder; "[kernel]"
  uint64_t offset = 0;  // link-time address in it, of the call or of what ran; 0: not told apart
  std::string source;   // "row0sel.cc:4711", where that was asked for and is known
  friend bool operator==(const Frame&, const Frame&) = default;
};

// Stands for a frame in a FrameTable (src/stacks/frame_table.h).
using FrameId = uint32_t;

// One stack, and what it stands for.
struct Sample {
  uint64_t time_ns = 0;  // when, since the query began; of several, the first
  uint64_t ns = 0;       // on-CPU: the time between two samples; else how long it waited
  uint64_t count = 1;    // samples or waits that are summed up in it
  Cause cause = Cause::OnCpu;
  bool whole = true;            // to the start of its thread, or to where it was to begin
  std::vector<FrameId> frames;  // outermost first
};

// A stack in words, for who wants a few of them.
struct NamedStack {
  uint64_t ns = 0;
  uint64_t count = 0;
  Cause cause = Cause::OnCpu;
  bool whole = true;
  std::vector<std::string> frames;  // outermost first
};

// All stacks of a query in the order of time, by themselves: no FrameTable is needed.
struct SampledStacks {
  std::vector<Frame> frames;    // each once
  std::vector<Sample> samples;  // whose frames are places in `frames`
};

}  // namespace dbtrace::model
