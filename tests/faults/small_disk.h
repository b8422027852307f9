// A file system of 64 KB, mounted for as long as its owner lives.
#pragma once

#include <fcntl.h>
#include <sys/mount.h>

#include <stdexcept>

#include "symbols/unique.h"
#include "tests/runtime/temporary_folder.h"

namespace dbtrace::testing {

class SmallDisk {
 public:
  SmallDisk() {
    if (::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=64k") != 0)
      throw std::runtime_error("cannot mount a tmpfs");
    file_ = UniqueFd(::open(path().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  }
  ~SmallDisk() {
    file_.reset();
    ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "file"; }
  // For writing; stays its own.
  [[nodiscard]] int fd() const { return file_.get(); }

 private:
  TemporaryFolder folder_;
  UniqueFd file_;
};

}  // namespace dbtrace::testing
