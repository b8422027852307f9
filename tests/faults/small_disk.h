// File systems of a few KB, mounted for as long as their owners live.
#pragma once

#include <fcntl.h>
#include <sys/mount.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "symbols/unique.h"
#include "tests/runtime/temporary_folder.h"

namespace dbtrace::testing {

class MemoryDisk {
 public:
  explicit MemoryDisk(size_t kilobytes) {
    const std::string size = "size=" + std::to_string(kilobytes) + "k";
    if (::mount("tmpfs", folder().c_str(), "tmpfs", 0, size.c_str()) != 0)
      throw std::runtime_error("cannot mount a tmpfs");
  }
  ~MemoryDisk() { ::umount2(folder().c_str(), MNT_DETACH); }
  MemoryDisk(const MemoryDisk&) = delete;
  MemoryDisk& operator=(const MemoryDisk&) = delete;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

class SmallDisk {
 public:
  [[nodiscard]] std::filesystem::path path() const { return disk_.folder() / "file"; }
  // For writing; stays its own.
  [[nodiscard]] int fd() const { return file_.get(); }

 private:
  static constexpr size_t kKilobytes = 64;

  MemoryDisk disk_{kKilobytes};
  UniqueFd file_{::open(path().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
};

}  // namespace dbtrace::testing
