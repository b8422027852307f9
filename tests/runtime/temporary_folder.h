// A folder that is gone when its owner is.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace dbtrace::testing {

class TemporaryFolder {
 public:
  // Makes a folder beneath `parent` (else TMPDIR, /tmp), its name beginning with
  // `prefix`. Throws.
  explicit TemporaryFolder(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path(),
      const std::string& prefix = "dbtrace-test-") {
    std::string name = parent / (prefix + "XXXXXX");
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create " + name);
    path_ = name;
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace dbtrace::testing
