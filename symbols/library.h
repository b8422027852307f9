// A shared library that is loaded when it is asked for and not linked: some bring TLS, HTTP and
// more, which nobody needs who does not use them.
#pragma once

#include "symbols/result.h"

namespace dbtrace {

class Library {
 public:
  // Loads it for good. Errors: it is not installed (says Debian's `package`).
  [[nodiscard]] static Result<Library> load(const char* file, const char* package);

  // False: it has no such function.
  template <typename Function>
  [[nodiscard]] bool find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(address(name));
    return function != nullptr;
  }

 private:
  explicit Library(void* handle) : handle_(handle) {}
  [[nodiscard]] void* address(const char* name) const;

  void* handle_;
};

}  // namespace dbtrace
