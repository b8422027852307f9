// What a tracer leaves in a server and in the kernel, looked up from outside: the
// test's own eyes, which trust nothing that dbtrace says about itself.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace dbtrace::testing {

// The places in a server's code where dbtrace says (`--explain`) it would put
// probes. A probe is a breakpoint: the first byte of an instruction changes.
class ProbeSites {
 public:
  // Throws std::runtime_error when it cannot tell.
  explicit ProbeSites(pid_t server);

  // Every site differs from the executable's file.
  [[nodiscard]] bool all_probed() const;
  // One does. Fast, for who wants to be there first.
  [[nodiscard]] bool any_probed() const;
  // None does. False, too, when the process is gone.
  [[nodiscard]] bool all_clean() const;

 private:
  struct Site {
    uint64_t address;
    uint8_t original;
  };
  [[nodiscard]] size_t changed() const;

  pid_t server_;
  std::vector<Site> sites_;
};

// How many bytes of the code of a process's executable differ from its file: one for each probe in
// it, whoever put it there. Throws std::runtime_error when the process is gone.
[[nodiscard]] size_t changed_code_bytes(pid_t pid);

// The BPF programs, links and maps that a process holds.
class BpfObjects {
 public:
  // As /proc/PID/fdinfo shows them now.
  explicit BpfObjects(pid_t holder);
  [[nodiscard]] size_t count() const { return objects_.size(); }
  // Whether the kernel has freed all of them, which it does a moment after the
  // last descriptor is closed. False when there were none to begin with.
  [[nodiscard]] bool all_gone() const;

 private:
  enum class Kind { Program, Link, Map };
  struct Object {
    Kind kind;
    uint32_t id;
  };
  std::vector<Object> objects_;
};

}  // namespace dbtrace::testing
