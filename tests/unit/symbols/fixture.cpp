#include "tests/unit/symbols/fixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace dbtrace::symbols::test {

namespace fs = std::filesystem;

std::string fixture(std::string_view name) { return fmt::format("{}/{}", SYMBOLS_FIXTURES, name); }

Bytes read_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_bytes(const fs::path& path, const Bytes& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  if (!out) throw std::runtime_error("cannot write " + path.string());
}

void copy_to(const fs::path& from, const fs::path& to) {
  fs::create_directories(to.parent_path());
  fs::copy_file(from, to);
}

void replace_text(Bytes& bytes, std::string_view text, std::string_view with) {
  const auto at = std::search(bytes.begin(), bytes.end(), text.begin(), text.end());
  if (at == bytes.end() || text.size() != with.size()) {
    throw std::runtime_error(fmt::format("cannot replace {}", text));
  }
  std::copy(with.begin(), with.end(), at);
}

ElfFile open_file(const std::string& path) {
  auto file = ElfFile::open(path);
  if (!file) throw std::runtime_error(file.error().message);
  return std::move(*file);
}

Finder open_finder(const std::string& path, FinderOptions options) {
  auto finder = Finder::open(open_file(path), std::move(options));
  if (!finder) throw std::runtime_error(finder.error().message);
  return std::move(*finder);
}

std::vector<std::string> names(const std::vector<Function>& functions) {
  std::vector<std::string> result;
  for (const Function& function : functions) result.push_back(function.name.full);
  return result;
}

std::vector<std::string> output_of(const std::string& command) {
  std::vector<std::string> lines;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return lines;
  char* line = nullptr;
  size_t capacity = 0;
  for (ssize_t length = 0; (length = ::getline(&line, &capacity, pipe)) >= 0;) {
    lines.emplace_back(line, static_cast<size_t>(length));
    if (lines.back().ends_with('\n')) lines.back().pop_back();
  }
  std::free(line);
  return ::pclose(pipe) == 0 ? lines : std::vector<std::string>{};
}

uint64_t nm_address(const std::string& options, const std::string& file,
                    std::string_view raw_name) {
  for (const std::string& line : output_of(fmt::format("nm {} '{}'", options, file))) {
    // "000000000083a5d0 T name": undefined symbols have no address.
    if (line.ends_with(fmt::format(" {}", raw_name)) && line[0] != ' ') {
      return std::stoull(line, nullptr, 16);
    }
  }
  return 0;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "dbtrace-symbols-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace dbtrace::symbols::test
