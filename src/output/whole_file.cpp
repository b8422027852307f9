#include "src/output/whole_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "src/output/writer.h"
#include "symbols/unique.h"

namespace dbtrace::output {
namespace {

tl::unexpected<Error> cannot_write(const std::string& path, const std::string& reason) {
  return fail(fmt::format("cannot write {}: {}", path, reason));
}

bool is_replaceable(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

// Where a symbolic link leads; the path itself when it is none, or leads nowhere.
std::string real_path(const std::string& path) {
  char resolved[PATH_MAX];
  return ::realpath(path.c_str(), resolved) ? resolved : path;
}

// A new file beside the one that it is to replace; it goes unless it has.
class Replacement {
 public:
  explicit Replacement(const std::string& path)
      : path_(real_path(path)), name_(path_ + ".XXXXXX"), file_(::mkstemp(name_.data())) {}
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement() {
    if (file_) ::unlink(name_.c_str());
  }

  [[nodiscard]] bool exists() const { return static_cast<bool>(file_); }

  [[nodiscard]] bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return true;
  }

  [[nodiscard]] bool take_place() {
    if (std::rename(name_.c_str(), path_.c_str()) != 0) return false;
    file_ = UniqueFd();
    return true;
  }

 private:
  std::string path_;
  std::string name_;
  UniqueFd file_;
};

}  // namespace

Result<void> replace_file(const std::string& path, std::string_view bytes) {
  if (!is_replaceable(path)) {
    auto writer = Writer::file(path, -1);
    if (!writer) return tl::unexpected(writer.error());
    if (writer->write(bytes) != WriteStatus::Ok) return cannot_write(path, writer->error());
    return {};
  }
  Replacement replacement(path);
  if (!replacement.exists() || !replacement.write(bytes) || !replacement.take_place())
    return cannot_write(path, std::strerror(errno));
  return {};
}

Result<void> can_replace(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    return cannot_write(path, std::strerror(EISDIR));
  if (!is_replaceable(path) || Replacement(path).exists()) return {};
  return cannot_write(path, std::strerror(errno));
}

}  // namespace dbtrace::output
