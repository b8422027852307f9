// The code that a process has mapped, and what somebody knows of each mapping.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "symbols/process_maps.h"

namespace dbtrace::symbols {

// Module: what stands for the file, or whatever is mapped; shared by all that map it.
template <typename Module>
class CodeMap {
 public:
  struct Entry {
    Mapping mapping;
    std::shared_ptr<Module> module;  // nullptr: nothing is known of it
  };

  CodeMap() = default;
  // Of `mappings`, which are in order, the executable ones. `module_of` is asked for each.
  template <typename ModuleOf>
  CodeMap(std::vector<Mapping> mappings, ModuleOf module_of) {
    for (Mapping& mapping : mappings) {
      if (!mapping.executable) continue;
      auto module = module_of(mapping);
      entries_.push_back({std::move(mapping), std::move(module)});
    }
  }

  // nullptr: no code is mapped there.
  [[nodiscard]] const Entry* at(uint64_t address) const {
    const auto after =
        std::upper_bound(entries_.begin(), entries_.end(), address,
                         [](uint64_t a, const Entry& entry) { return a < entry.mapping.start; });
    if (after == entries_.begin()) return nullptr;
    const Entry& entry = *std::prev(after);
    return address < entry.mapping.end ? &entry : nullptr;
  }

 private:
  std::vector<Entry> entries_;  // by ascending address
};

}  // namespace dbtrace::symbols
