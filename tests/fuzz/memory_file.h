// A file without a name whose content changes with each input.
#pragma once

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "symbols/unique.h"

namespace dbtrace::test {

class MemoryFile {
 public:
  void write(std::span<const uint8_t> bytes) {
    const auto size = static_cast<ssize_t>(bytes.size());
    if (::ftruncate(file_.get(), size) != 0) std::abort();
    if (::pwrite(file_.get(), bytes.data(), bytes.size(), 0) != size) std::abort();
  }
  [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", file_.get()); }

 private:
  UniqueFd file_{::memfd_create("fuzz", MFD_CLOEXEC)};
};

}  // namespace dbtrace::test
