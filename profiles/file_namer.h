// Names of what is in files that a server calls by numbers. Somebody has to look them up, and
// whoever sees an operation on a file has no time for that.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "symbols/result.h"

namespace dbtrace::profiles {

class FileNamer {
 public:
  FileNamer() = default;
  FileNamer(const FileNamer&) = delete;
  FileNamer& operator=(const FileNamer&) = delete;
  virtual ~FileNamer() = default;

  // As Profile::file_content, with names where they are known. Never waits: what is not known
  // yet is looked up meanwhile. Any thread.
  [[nodiscard]] virtual std::string content(std::string_view folder, std::string_view name) = 0;

  // Another one whenever content() may have other answers. Any thread.
  [[nodiscard]] virtual uint64_t edition() const = 0;

  // Waits until content() knows what there is to know at the beginning, but no longer than
  // `patience`. Errors: the server was to be asked, and cannot be.
  [[nodiscard]] virtual Result<void> wait_until_ready(std::chrono::milliseconds patience) = 0;
};

}  // namespace dbtrace::profiles
