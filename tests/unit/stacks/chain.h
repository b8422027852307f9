// A process of fixtures/stacks/chains.cpp, whose thread waits at the end of a chain of calls.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <vector>

#include "src/stacks/unwinder.h"
#include "symbols/symbolizer.h"

namespace dbtrace::stacks::test {

// The path of a file that tests.cmake makes.
[[nodiscard]] std::string fixture(const std::string& name);

class Chain {
 public:
  // Runs `program` with the chain's name, and waits until its thread waits.
  Chain(const std::string& program, const std::string& name);
  ~Chain();
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  [[nodiscard]] uint32_t pid() const { return static_cast<uint32_t>(pid_); }
  // 0 when it did not get there.
  [[nodiscard]] pid_t thread() const { return thread_; }
  // What a thread that waits in stop() goes on for.
  void feed();
  // Feeds it, and waits until it waits again. False: it does not.
  bool go_on();
  void end();

 private:
  void wait_until_waiting();

  pid_t pid_ = 0;
  pid_t thread_ = 0;
  FILE* input_ = nullptr;
  FILE* output_ = nullptr;
};

// A stack as a person reads it, innermost first: the names of functions, "file+offset" without
// the folder where there is none. Neighbours in libc are one "[libc]": what its functions are
// called depends on whether its debug file is installed.
[[nodiscard]] std::vector<std::string> names(symbols::Symbolizer& symbolizer, uint32_t pid,
                                             const Unwound& unwound);

}  // namespace dbtrace::stacks::test
