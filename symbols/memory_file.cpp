#include "symbols/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace dbtrace::symbols {

Result<UniqueFd> memory_file(const std::string& name, std::span<const uint8_t> bytes) {
  UniqueFd file(::memfd_create(name.c_str(), MFD_CLOEXEC));
  while (file && !bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail(std::strerror(errno));
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  if (!file) return fail(std::strerror(errno));
  return file;
}

}  // namespace dbtrace::symbols
