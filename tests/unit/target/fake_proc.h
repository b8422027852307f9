// A folder laid out like /proc, with the processes that a test wants.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "src/target/process.h"

namespace dbtrace::target::test {

// The program of a stub server (fixtures/servers/README.md).
[[nodiscard]] std::string stub(std::string_view name);

class FakeProc {
 public:
  FakeProc();
  ~FakeProc();
  FakeProc(const FakeProc&) = delete;
  FakeProc& operator=(const FakeProc&) = delete;

  // A process that runs `executable`. Ids above the kernel's limit (2^22) are
  // certainly no real processes.
  void add(uint32_t pid, const std::string& executable, std::string_view command_line = {});
  // Any file, or folder, beneath the process's folder.
  void write(uint32_t pid, const std::string& name, std::string_view content);
  void make_folder(const std::string& name);

  [[nodiscard]] Proc proc() const { return Proc(folder_.string()); }
  [[nodiscard]] std::string path() const { return folder_.string(); }

 private:
  [[nodiscard]] std::filesystem::path folder_of(uint32_t pid) const;
  std::filesystem::path folder_;
};

}  // namespace dbtrace::target::test
