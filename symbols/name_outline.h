// The parts of a demangled name as views into it, for those who look at many
// names and keep few. For the files of this room only.
#pragma once

#include <string_view>
#include <vector>

namespace dbtrace::symbols {

// `void a::f<int>[abi:x](int) const`: a return type is in none of the parts.
struct NameOutline {
  std::string_view qualified;   // "a::f<int>[abi:x]"
  std::string_view scope;       // "a"
  std::string_view base;        // "f"
  std::string_view arguments;   // "<int>[abi:x]"
  std::string_view parameters;  // "(int)"; "" for extern "C" and data
  std::string_view qualifiers;  // "const"
  bool is_local = false;        // a lambda or a local entity inside another function
};

// Never fails: what it does not understand is left in `qualified` and `base`.
[[nodiscard]] NameOutline outline(std::string_view demangled);

// "a::b<c::d>::e" → "a", "b<c::d>", "e".
[[nodiscard]] std::vector<std::string_view> split_scope(std::string_view scope);

// One part of a scope: "b<int>[abi:x](int)".
struct ScopePart {
  std::string_view name;        // "b"
  std::string_view arguments;   // "<int>"
  std::string_view tags;        // "[abi:x]"
  std::string_view parameters;  // "(int)", of a function around a local entity
};
[[nodiscard]] ScopePart take_apart(std::string_view part);

}  // namespace dbtrace::symbols
