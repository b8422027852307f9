// The kernel's functions by address, its modules' and BPF programs' among them.
// Format: "ADDRESS TYPE name [module]", proc_kallsyms in kernel/kallsyms.c.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "symbols/named_ranges.h"
#include "symbols/result.h"

namespace dbtrace::symbols {

// As of the moment it was read: what is loaded later is not in it. Threading: find()
// makes names when they are first asked for, so one thread at a time.
class KernelSymbols {
 public:
  // Reads /proc/kallsyms: 40 ms. Fails where the kernel hides its addresses.
  [[nodiscard]] static Result<KernelSymbols> read();
  // The same from text laid out like it.
  [[nodiscard]] static Result<KernelSymbols> parse(std::string_view text);

  // Valid as long as this object. The kernel does not say where functions end:
  // each ends at the next symbol, the last one of a module with its page.
  struct Hit {
    std::string_view function;  // without a clone suffix (".isra.0")
    std::string_view raw;
    std::string_view module;  // "[nf_tables]"; "[kernel]" for the kernel proper
    uint64_t offset = 0;      // in the function
  };
  [[nodiscard]] std::optional<Hit> find(uint64_t address);

 private:
  NamedRanges functions_;
  NamedRanges modules_;  // where the functions of each lie
};

}  // namespace dbtrace::symbols
