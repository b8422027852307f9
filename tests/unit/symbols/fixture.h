// What the tests of this room share: fixture files, folders that vanish, bytes.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/finder.h"

namespace dbtrace::symbols::test {

using Bytes = std::vector<uint8_t>;

inline constexpr const char* kDispatchRaw =
    "_Z16dispatch_commandP3THDPK8COM_DATA19enum_server_command";
inline constexpr const char* kDispatch =
    "dispatch_command(THD*, COM_DATA const*, enum_server_command)";

// The path of a file described in fixtures/symbols/README.md.
[[nodiscard]] std::string fixture(std::string_view name);

[[nodiscard]] Bytes read_bytes(const std::filesystem::path& path);
void write_bytes(const std::filesystem::path& path, const Bytes& bytes);

// Copies a file to a place whose folders need not exist yet.
void copy_to(const std::filesystem::path& from, const std::filesystem::path& to);

// Overwrites the one occurrence of `text` with `with` (of the same length).
void replace_text(Bytes& bytes, std::string_view text, std::string_view with);

// Opens what must open; a failure ends the test.
[[nodiscard]] ElfFile open_file(const std::string& path);
[[nodiscard]] Finder open_finder(const std::string& path, FinderOptions options = {});

// The full names of functions, in their order.
[[nodiscard]] std::vector<std::string> names(const std::vector<Function>& functions);

// The standard output of a program, line by line; empty when it fails.
[[nodiscard]] std::vector<std::string> output_of(const std::string& command);

// `binutils` nm's idea of a symbol's address; 0 when it does not have it.
[[nodiscard]] uint64_t nm_address(const std::string& options, const std::string& file,
                                  std::string_view raw_name);

// A folder of the test's own, removed at its end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace dbtrace::symbols::test
