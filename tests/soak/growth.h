// Whether a process grows: its resident memory and its open files, looked at again and again.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace dbtrace::testing {

class Growth {
 public:
  explicit Growth(pid_t process) : process_(process) {}

  // What it has now counts for `settled`: false while it warms up, true from then on.
  void look(bool settled);

  struct Most {
    size_t memory_kb = 0;
    size_t files = 0;
  };
  [[nodiscard]] const Most& warming_up() const { return warming_up_; }
  [[nodiscard]] const Most& settled() const { return settled_; }

 private:
  pid_t process_;
  Most warming_up_, settled_;
};

}  // namespace dbtrace::testing
