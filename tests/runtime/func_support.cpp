#include "tests/runtime/func_support.h"

#include <fstream>
#include <regex>

namespace dbtrace::testing {
namespace {

std::string read_at(const std::string& path, uint64_t offset, size_t size) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(size, '\0');
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  if (!file) throw std::runtime_error("cannot read " + path);
  return bytes;
}

}  // namespace

size_t changed_bytes_of_code(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  const std::string program = std::filesystem::read_symlink(folder + "/exe");
  const std::regex mapping("([0-9a-f]+)-([0-9a-f]+) r-xp ([0-9a-f]+) .* (/.*)");
  std::ifstream maps(folder + "/maps");
  size_t changed = 0;
  for (std::string line; std::getline(maps, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, mapping) || match[4] != program) continue;
    const uint64_t begin = std::stoull(match[1], nullptr, 16);
    const size_t size = std::stoull(match[2], nullptr, 16) - begin;
    const uint64_t offset = std::stoull(match[3], nullptr, 16);
    // The last page of the mapping may reach beyond the file.
    const size_t in_file = std::min<size_t>(size, std::filesystem::file_size(program) - offset);
    const std::string mapped = read_at(folder + "/mem", begin, in_file);
    const std::string original = read_at(program, offset, in_file);
    for (size_t i = 0; i < in_file; ++i) changed += mapped[i] != original[i];
  }
  return changed;
}

size_t probes_in(const std::string& errors) {
  std::smatch match;
  if (!std::regex_search(errors, match, std::regex("attached to .* \\(([0-9]+) probes?\\)")))
    throw std::runtime_error("no number of probes in:\n" + errors);
  return std::stoul(match[1]);
}

}  // namespace dbtrace::testing
