// C++ names: from the mangled form to what a person types, and its parts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dbtrace::symbols {

// A demangled function name taken apart. `dispatch_command(THD*, COM_DATA
// const*, enum_server_command)` has scope "", base "dispatch_command" and three
// parameters; `(anonymous namespace)` scopes are kept in `scope`.
struct FunctionName {
  std::string full;                     // as demangled
  std::string scope;                    // "xpl::dispatcher", or ""
  std::string base;                     // "dispatch_command", template arguments removed
  bool has_parameters = false;          // false for extern "C" and data
  std::vector<std::string> parameters;  // "THD*", …; empty for f()
  bool is_local = false;                // a lambda or a local entity inside another function
};

// The Itanium demangling of `raw`, without symbol version and without a clone
// suffix (".cold", ".part.0", ".constprop.1"…). nullopt when `raw` is not a
// mangled name or cannot be demangled.
[[nodiscard]] std::optional<std::string> demangle(std::string_view raw);

// Takes a demangled name apart. Never fails: what it does not understand is
// left in `base`.
[[nodiscard]] FunctionName parse_function_name(std::string_view demangled);

// A demangled name with its scope and without parameters: "THD::set_db"; "" where
// that is too long to be read.
[[nodiscard]] std::string short_form(std::string_view demangled);

// The short form of the name that `raw` stands for, or `raw` without clone suffix.
[[nodiscard]] std::string short_name(std::string_view raw);

// ".cold", ".part.0.cold", ".constprop.0", …, or "" for a plain symbol.
[[nodiscard]] std::string_view clone_suffix(std::string_view raw);

}  // namespace dbtrace::symbols
