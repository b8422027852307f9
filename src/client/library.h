// A shared library that is loaded when it is asked for and not linked: clients of servers
// bring TLS and more, which nobody needs who does not connect. For the files of this room only.
#pragma once

#include <string>

#include "symbols/result.h"

namespace dbtrace::client {

class Library {
 public:
  // Loads it for good. Errors: it is not installed (says `package`).
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

}  // namespace dbtrace::client
