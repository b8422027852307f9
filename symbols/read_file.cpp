#include "symbols/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "symbols/unique.h"

namespace dbtrace::symbols {

Result<std::string> read_all(int fd, size_t limit) {
  constexpr size_t kStep = 64 * 1024;
  std::string text;
  size_t have = 0;
  while (have < limit) {
    // Only when it is full: files in /proc come a page at a time.
    if (have == text.size()) text.resize(std::min(limit, have + std::max(kStep, have)));
    const ssize_t got = ::read(fd, text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(std::strerror(errno));
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  text.resize(have);
  return text;
}

Result<std::string> read_file(const std::string& path, size_t limit) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  auto text = read_all(file.get(), limit);
  if (!text) return fail(fmt::format("cannot read {}: {}", path, text.error().message));
  return text;
}

}  // namespace dbtrace::symbols
