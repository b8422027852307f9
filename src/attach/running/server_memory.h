// Members of a server's objects, read from outside by the paths of a plan: what
// bpf/members.bpf.h does from inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bpf/event.h"

namespace dbtrace::attach {

// The memory of a process (process_vm_readv). Everything may vanish at any moment:
// absent answers mean "not there (any more) or not allowed".
class ServerMemory {
 public:
  explicit ServerMemory(uint32_t pid) : pid_(pid) {}

  [[nodiscard]] bool read(uint64_t address, void* to, size_t size) const;
  [[nodiscard]] std::optional<uint64_t> pointer(uint64_t address) const;
  [[nodiscard]] std::optional<uint64_t> number(uint64_t object, const dbt_path& path) const;

  struct Text {
    uint64_t address = 0;
    uint64_t length = 0;
  };
  // Where a text lies; absent also when the pointer to it is null. One that ends at a NUL is
  // no longer than `most`.
  [[nodiscard]] std::optional<Text> text(uint64_t object, const dbt_path& path, size_t most) const;
  // A name, cut to `most` bytes.
  [[nodiscard]] std::optional<std::string> name(uint64_t object, const dbt_path& path,
                                                size_t most) const;

 private:
  // How many bytes there are before a NUL; absent when they cannot all be read.
  [[nodiscard]] std::optional<uint64_t> length(uint64_t text, size_t most) const;
  [[nodiscard]] std::optional<uint64_t> member(uint64_t object, const dbt_path& path) const;

  uint32_t pid_;
};

}  // namespace dbtrace::attach
