// What a person types for a function, as a value that symbols are held against.
//
//   dispatch_command        every function of that name, in any scope; template
//                           arguments, ABI tags and parameters are left open
//   THD::set_db             the scope's end must match, at a `::`
//   ::dispatch_command      in the global scope only
//   f(int, const char*)     these parameters only; a `const` behind them counts, too
//   f<int>, f[abi:cxx11]    these template arguments, this tag
//   a::f                    also a::(anonymous namespace)::f, a::__cxx11::f
//   ib*::open?, [fg]etc     a glob on the whole qualified name without parameters,
//                           or with them when it has a "("; "_Z…*" on the raw name
//   /open|close/            a regular expression (RE2), found anywhere in the
//                           demangled name
//   _ZN3THD6set_dbEi        the raw name
//   f@V, f@@V               only with this version; @@: only the default one
//   0x1234                  the function that covers this link-time address
//
// An exact name is never a prefix of what it finds. A name that is exactly some
// symbol's raw one (extern "C") means that symbol alone: the finder sees to it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "symbols/result.h"

namespace dbtrace::symbols {

// Cheap to copy. Threading: may be used from several threads at once.
class Pattern {
 public:
  enum class Form { Name, Glob, Regex, Raw, Address };

  // The error says what is wrong with the text: empty, a bad regular expression.
  [[nodiscard]] static Result<Pattern> parse(std::string_view typed);

  [[nodiscard]] const std::string& typed() const;
  [[nodiscard]] Form form() const;
  [[nodiscard]] std::optional<uint64_t> address() const;
  // A typed name without its version; what it is compared with raw names for.
  [[nodiscard]] const std::string& name() const;

  // Text that is part of every raw name that can match; "" when there is none.
  [[nodiscard]] std::string_view needle() const;
  // Whether the function with this raw name (without version) is meant. A clone
  // (`f.constprop.0`) is judged by its function's name, unless its suffix is typed.
  // Demangles only where cheaper looks leave a doubt. Adds the length of what it
  // demangled to `cost`: crafted names can make that much, and callers end it.
  [[nodiscard]] bool matches(std::string_view raw, size_t& cost) const;
  // Whether a symbol of this version is meant; "" is a symbol without one.
  [[nodiscard]] bool accepts_version(std::string_view version, bool is_default) const;
  // Whether `suffix` (".part.0") or a part of it was typed.
  [[nodiscard]] bool asks_for_suffix(std::string_view suffix) const;

 private:
  struct Impl;
  explicit Pattern(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace dbtrace::symbols
