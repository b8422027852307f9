// A process of fixtures/symbols/tracee.cpp, and what it says about itself.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <functional>
#include <map>
#include <string>

namespace dbtrace::symbols::test {

class Tracee {
 public:
  // Runs `program`. `prepare` is called in the new process first, and ends it by
  // returning false.
  explicit Tracee(const std::string& program, const std::function<bool()>& prepare = {});
  ~Tracee();
  Tracee(const Tracee&) = delete;
  Tracee& operator=(const Tracee&) = delete;

  // 0 when it could not be started.
  [[nodiscard]] uint32_t pid() const { return static_cast<uint32_t>(pid_); }
  // Run-time addresses by name; 0 for what it did not tell.
  [[nodiscard]] uint64_t address(const std::string& name) const;

  // Sends a command and reads what it tells.
  void ask(const std::string& command, const std::string& argument = "-");
  // Ends it and waits.
  void end();

 private:
  void read_answer();

  pid_t pid_ = 0;
  FILE* commands_ = nullptr;
  FILE* answers_ = nullptr;
  std::map<std::string, uint64_t> addresses_;
};

}  // namespace dbtrace::symbols::test
