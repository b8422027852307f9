// What the text of a pattern says, before it is compared with anything.
// For the files of this room only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/pattern.h"

namespace dbtrace::symbols {

// A typed version: f@V, f@@V.
struct TypedVersion {
  std::string name;
  bool must_be_default = false;
};

// A typed qualified name, canonically spelled.
struct TypedName {
  struct Part {
    std::string name;
    std::string arguments;   // "" leaves them open
    std::string tags;        // "" leaves them open
    std::string parameters;  // of a function around a local entity; "" leaves them open
  };
  std::vector<Part> scope;
  bool is_global = false;  // a leading "::"
  Part last;               // its `parameters` are the function's
  std::string qualifiers;  // "const"; "" leaves them open
};

struct PatternText {
  std::string typed;
  Pattern::Form form = Pattern::Form::Name;
  std::string name;  // without version and suffix; a regex without its slashes
  std::optional<TypedVersion> version;
  std::string suffix;  // ".part.0" of a Name
  std::optional<uint64_t> address;
  TypedName parts;     // of a Name
  std::string needle;  // see Pattern::needle()
};

// Regular expressions are not looked into.
[[nodiscard]] Result<PatternText> read_pattern(std::string_view typed);

// Text that is in every raw name of a function with this base, "" when there is
// none: mangled names spell identifiers out, save for operators, conversions and
// a few classes of std. A constructor or destructor names its class.
[[nodiscard]] std::string needle_of_name(std::string_view base);

// Text that is in every raw name whose demangled form `glob` matches, "" when
// there is none that one can be sure of.
[[nodiscard]] std::string needle_of_glob(std::string_view glob);

}  // namespace dbtrace::symbols
