#include "tests/soak/growth.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/runtime/child_process.h"

namespace dbtrace::testing {

void Growth::look(bool settled) {
  const std::string folder = "/proc/" + std::to_string(process_) + "/";
  const std::string status = read_file(folder + "status"), name = "VmRSS:";
  const size_t at = status.find(name);
  if (at == std::string::npos) return;  // it is gone, which is told elsewhere
  Most& most = settled ? settled_ : warming_up_;
  most.memory_kb = std::max<size_t>(most.memory_kb, std::stoul(status.substr(at + name.size())));
  size_t files = 0;
  std::error_code gone;
  for (std::filesystem::directory_iterator each(folder + "fd", gone), end; !gone && each != end;
       each.increment(gone))
    ++files;
  most.files = std::max(most.files, files);
}

}  // namespace dbtrace::testing
