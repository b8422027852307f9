// What a pattern finds in a binary: places in its code, each with all its names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dbtrace::symbols {

enum class FunctionKind : uint8_t {
  Function,
  Alias,    // another name of a function: a probe counts the calls by all of them
  Clone,    // .constprop, .isra, …: an instance whose arguments may differ
  Part,     // .part.N: what is left of a function that was partly inlined
  Cold,     // .cold: reached by jumps from its function, never called
  Ifunc,    // a resolver, run once at load to choose the function of its name
  Label,    // a symbol without a type in code, from assembly
  Address,  // no symbol at all: an address that was typed
};

// "function", "alias", …
[[nodiscard]] std::string_view kind_name(FunctionKind kind);

struct SymbolName {
  std::string raw = {};      // mangled, without version; "" for an Address
  std::string full = {};     // demangled, or raw where that cannot be done
  std::string version = {};  // "GLIBC_2.34"; "" without one
  bool is_default_version = true;
  FunctionKind kind = FunctionKind::Function;
  uint64_t size = 0;       // 0: the table does not say
  std::string table = {};  // ".dynsym", ".symtab", ".gnu_debugdata"
  std::string file = {};   // whose table it is
  bool matches = false;    // the pattern, or only shares the address
};

// One place that a probe would be put at.
struct Location {
  uint64_t address = 0;            // link-time
  std::optional<uint64_t> offset;  // in the *binary's* file (never a debug file's)
  uint64_t size = 0;               // of the first name; 0: unknown
  std::vector<SymbolName> names =
      {};                     // never empty: those that match first, the best before others
  std::string no_entry = {};  // why a probe here would not count calls; "" when it does
  std::vector<std::string> remarks = {};  // what to know before probing, a sentence each
};

// A symbol that matches but is only used here.
struct Undefined {
  std::string raw = {};
  std::string full = {};
  std::string version = {};
  std::string library = {};  // "libc.so.6", when the version tells; else all that are needed
};

// A function without code of its own: every call was replaced by its body.
struct Inlined {
  std::string name = {};
  size_t sites = 0;  // how often; 0: it was dropped altogether
};

struct Matches {
  std::vector<Location> locations = {};  // by address, one per distinct address
  std::vector<Undefined> undefined = {};
  // Raw names of parts (`f.part.0`, `f.cold`) of what was found: not taken, as
  // nobody asked for them.
  std::vector<std::string> left_out = {};
  bool truncated = false;  // the file has more than a sound one could have
};

}  // namespace dbtrace::symbols
