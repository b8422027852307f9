// Where an accessor finds its number among objects that lie one behind the other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "src/code/trace.h"

namespace dbtrace::code {

// A 4-byte number at `first` + size * (the int at `index`). Link-time addresses.
struct Element {
  uint64_t index = 0;
  uint64_t first = 0;
  uint64_t size = 0;
  friend bool operator==(const Element&, const Element&) = default;
};

// What the function whose code lies at `address` returns, if it is such a number and the code is of
// the plain form that compilers give it: load the index, give up if it is negative, multiply, add,
// load. x86-64 only. nullopt: anything else.
[[nodiscard]] std::optional<Element> returned_element(Arch arch, std::span<const uint8_t> code,
                                                      uint64_t address);

}  // namespace dbtrace::code
