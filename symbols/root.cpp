#include "symbols/root.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace dbtrace::symbols {

Result<UniqueFd> open_in_root(const std::string& root, const std::string& path) {
  UniqueFd file;
  if (root.empty()) {
    file.reset(::open(path.c_str(), O_PATH | O_CLOEXEC));
  } else {
    const UniqueFd directory(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return fail(root + ": " + std::strerror(errno));
    struct open_how how {};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
    file.reset(
        static_cast<int>(::syscall(SYS_openat2, directory.get(), path.c_str(), &how, sizeof(how))));
  }
  if (!file) return fail(errno == ENOENT ? "not there" : std::strerror(errno));
  return file;
}

}  // namespace dbtrace::symbols
