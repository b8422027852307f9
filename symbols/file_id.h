// What makes a file the same file.
#pragma once

#include <sys/stat.h>

#include <compare>
#include <cstdint>
#include <optional>

#include "symbols/unique.h"

namespace dbtrace::symbols {

// While a file is open its inode cannot be reused, and afterwards the other two
// tell. The build-id would, too, but only a file that is read has one.
struct FileId {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t size = 0;
  int64_t modified_ns = 0;
  auto operator<=>(const FileId&) const = default;

  // nullopt for what is no regular file.
  [[nodiscard]] static std::optional<FileId> of(const UniqueFd& file) {
    struct stat status {};
    if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return FileId{.device = status.st_dev,
                  .inode = status.st_ino,
                  .size = status.st_size,
                  .modified_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
  }
};

}  // namespace dbtrace::symbols
