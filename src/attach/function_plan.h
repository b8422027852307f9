// The plan of `dbtrace func`: where each of some functions of one binary is probed,
// and what is not probed and why. Pure data, made without touching the kernel or
// the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpf/func_event.h"
#include "src/attach/probe_place.h"
#include "src/code/trace.h"
#include "symbols/finder.h"
#include "symbols/location.h"
#include "symbols/result.h"

namespace dbtrace::attach {

struct FunctionExit {
  uint64_t offset = 0;     // in the binary's file
  dbt_func_exit kernel{};  // what the BPF program wants to know of it
};

struct PlannedFunction {
  std::string name;                     // demangled, with parameters; unique in a plan
  std::vector<std::string> also;        // functions of the same code, whose calls count here too
  std::vector<std::string> parameters;  // as far as the name tells
  uint64_t address = 0;
  ProbePlace entry;
  std::vector<FunctionExit> exits;  // when durations are asked for
};

// The same sentence about several functions.
struct Remark {
  std::string text;
  std::vector<std::string> functions;
};

struct FunctionPlan {
  code::Arch arch = code::Arch::X86_64;
  std::vector<PlannedFunction> functions;  // by address, never empty
  std::vector<Remark> not_probed;          // that match, and why they are left out
  std::vector<Remark> remarks;             // what to know of those that are probed
};

struct FunctionPlanOptions {
  bool durations = false;  // also find where the functions are left
  // Probe addresses that no symbol covers: harm, unless an instruction begins there.
  bool trust_addresses = false;
  size_t most = 10'000;  // functions
};

// `locations` are places in the finder's binary; one that is named twice counts
// once. Errors: there are more than `most`, or none of them can be probed (says
// why).
[[nodiscard]] Result<FunctionPlan> plan_functions(symbols::Finder& finder,
                                                  std::vector<symbols::Location> locations,
                                                  const FunctionPlanOptions& options = {});

// Says `text` of `function`, too.
void add(std::vector<Remark>& remarks, const std::string& text, const std::string& function);

// "a: why", "5 functions: why: a, b, c, …": one line a remark, for messages.
[[nodiscard]] std::string lines(std::span<const Remark> remarks, std::string_view begin = {});

}  // namespace dbtrace::attach
