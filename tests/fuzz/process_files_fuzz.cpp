// Arbitrary bytes in place of /proc/PID/stat and /proc/PID/cmdline.
#include <stdlib.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "src/target/process.h"

namespace {

// In memory: a file for each input.
std::filesystem::path folder() {
  std::string name = "/dev/shm/dbtrace-fuzz-XXXXXX";
  if (!::mkdtemp(name.data())) std::abort();
  std::filesystem::create_directory(name + "/1");
  return name;
}

struct Folder {
  std::filesystem::path path = folder();
  ~Folder() { std::filesystem::remove_all(path); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folder proc;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"1/stat", "1/cmdline"})
    std::ofstream(proc.path / name, std::ios::binary) << bytes;
  const dbtrace::target::Proc looked_at(proc.path);
  if (looked_at.parent(1) == 0) std::abort();
  const std::string title = looked_at.title(1);
  if (title.size() > size || title.ends_with(' ')) std::abort();
  size_t length = 0;
  const auto arguments = looked_at.command_line(1);
  for (const std::string& argument : arguments) length += argument.size();
  if (length > size) std::abort();
  (void)dbtrace::target::option_value(arguments, "datadir");
  return 0;
}
