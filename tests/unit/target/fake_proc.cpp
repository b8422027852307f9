#include "tests/unit/target/fake_proc.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace dbtrace::target::test {

namespace fs = std::filesystem;

std::string stub(std::string_view name) {
  return std::string(STUB_SERVERS "/") + std::string(name);
}

FakeProc::FakeProc() {
  std::string pattern = (fs::temp_directory_path() / "dbtrace-proc-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
}

FakeProc::~FakeProc() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

fs::path FakeProc::folder_of(uint32_t pid) const { return folder_ / std::to_string(pid); }

void FakeProc::add(uint32_t pid, const std::string& executable, std::string_view command_line) {
  fs::create_directories(folder_of(pid));
  fs::create_symlink(executable, folder_of(pid) / "exe");
  fs::create_symlink("/", folder_of(pid) / "root");
  write(pid, "cmdline", command_line);
}

void FakeProc::write(uint32_t pid, const std::string& name, std::string_view content) {
  fs::create_directories(folder_of(pid));
  std::ofstream(folder_of(pid) / name, std::ios::binary) << content;
}

void FakeProc::make_folder(const std::string& name) { fs::create_directories(folder_ / name); }

}  // namespace dbtrace::target::test
