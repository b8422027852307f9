#include "src/output/whole_file.h"

#include <fcntl.h>
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

// What a path leads to.
struct Target {
  std::string
      path;  // without symbolic links at its end; as it was given where there is nothing yet
  mode_t type = S_IFREG;
};

// Links are followed by the kernel, which refuses those of strangers in folders that everybody
// writes to (fs.protected_symlinks): who reads them for himself gets no such protection.
Result<Target> target_of(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!file && errno == ENOENT) return Target{path};
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return cannot_write(path, std::strerror(errno));
  char name[PATH_MAX];
  const std::string link = fmt::format("/proc/self/fd/{}", file.get());
  const ssize_t size = ::readlink(link.c_str(), name, sizeof(name));
  if (size <= 0) return cannot_write(path, std::strerror(errno));
  return Target{std::string(name, static_cast<size_t>(size)), status.st_mode & S_IFMT};
}

// A new file beside the one that it is to replace; it goes unless it has.
class Replacement {
 public:
  explicit Replacement(const std::string& path)
      : path_(path), name_(path_ + ".XXXXXX"), file_(::mkstemp(name_.data())) {}
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
  const auto target = target_of(path);
  if (!target) return tl::unexpected(target.error());
  if (target->type != S_IFREG) {
    auto writer = Writer::file(path, -1);
    if (!writer) return tl::unexpected(writer.error());
    if (writer->write(bytes) != WriteStatus::Ok) return cannot_write(path, writer->error());
    return {};
  }
  Replacement replacement(target->path);
  if (!replacement.exists() || !replacement.write(bytes) || !replacement.take_place())
    return cannot_write(path, std::strerror(errno));
  return {};
}

Result<void> can_replace(const std::string& path) {
  const auto target = target_of(path);
  if (!target) return tl::unexpected(target.error());
  if (target->type == S_IFDIR) return cannot_write(path, std::strerror(EISDIR));
  if (target->type != S_IFREG || Replacement(target->path).exists()) return {};
  return cannot_write(path, std::strerror(errno));
}

}  // namespace dbtrace::output
