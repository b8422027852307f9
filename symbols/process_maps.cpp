#include "symbols/process_maps.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "symbols/read_file.h"
#include "symbols/root.h"

namespace dbtrace::symbols {
namespace {

// 65,530 mappings (the kernel's usual limit) of 1,000 characters.
constexpr size_t kMaxMaps = 64U << 20;
constexpr size_t kMaxStat = 4096;
// It has two pages.
constexpr uint64_t kMaxVdso = 1U << 20;

constexpr std::string_view kDeleted = " (deleted)";

// Takes a number and the separator behind it off the front of `text`.
bool take_number(std::string_view& text, int base, char separator, uint64_t& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  if (error != std::errc() || stop == end || *stop != separator) return false;
  text.remove_prefix(static_cast<size_t>(stop - text.data()) + 1);
  return true;
}

// The kernel writes a newline in a path as \012 and leaves all else alone.
std::string unescape(std::string_view path) {
  constexpr std::string_view kNewline = "\\012";
  std::string result;
  for (size_t at = 0; at < path.size();) {
    const bool is_newline = path.substr(at).starts_with(kNewline);
    result += is_newline ? '\n' : path[at];
    at += is_newline ? kNewline.size() : 1;
  }
  return result;
}

// start-end perms offset major:minor inode      path
std::optional<Mapping> parse_line(std::string_view line) {
  Mapping mapping;
  uint64_t major = 0;
  uint64_t minor = 0;
  if (!take_number(line, 16, '-', mapping.start) || !take_number(line, 16, ' ', mapping.end) ||
      mapping.start >= mapping.end) {
    return std::nullopt;
  }
  constexpr std::string_view kPermissions = "rwxp ";
  if (line.size() < kPermissions.size() || line[kPermissions.size() - 1] != ' ') {
    return std::nullopt;
  }
  mapping.executable = line[2] == 'x';
  line.remove_prefix(kPermissions.size());
  if (!take_number(line, 16, ' ', mapping.offset) || !take_number(line, 16, ':', major) ||
      !take_number(line, 16, ' ', minor)) {
    return std::nullopt;
  }
  const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), mapping.inode);
  if (error != std::errc()) return std::nullopt;
  line.remove_prefix(static_cast<size_t>(stop - line.data()));
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (mapping.inode != 0 && line.ends_with(kDeleted)) line.remove_suffix(kDeleted.size());
  mapping.path = unescape(line);
  return mapping;
}

bool is_inode(int fd, uint64_t inode) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && status.st_ino == inode;
}

std::optional<std::string> own_vdso(uint64_t size) {
  const auto address = ::getauxval(AT_SYSINFO_EHDR);
  if (address == 0) return std::nullopt;
  auto maps = read_maps(static_cast<uint32_t>(::getpid()));
  if (!maps) return std::nullopt;
  for (const Mapping& mapping : *maps) {
    if (mapping.start != address || mapping.end - mapping.start != size) continue;
    return std::string(reinterpret_cast<const char*>(address), size);
  }
  return std::nullopt;
}

}  // namespace

bool Mapping::is_return_probe() const { return inode == 0 && path.starts_with("[uprobes"); }

std::vector<Mapping> parse_maps(std::string_view text) {
  std::vector<Mapping> mappings;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    auto mapping = parse_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!mapping || (!mappings.empty() && mapping->start < mappings.back().end)) continue;
    mappings.push_back(std::move(*mapping));
  }
  return mappings;
}

Result<std::vector<Mapping>> read_maps(uint32_t pid) {
  const auto text = read_file(fmt::format("/proc/{}/maps", pid), kMaxMaps);
  if (!text) return tl::unexpected(text.error());
  // The last line may be half a line when there is more than may be read.
  return parse_maps(std::string_view(*text).substr(0, text->rfind('\n') + 1));
}

std::optional<uint64_t> load_bias(std::span<const Mapping> mappings, uint64_t inode,
                                  uint64_t first_address) {
  const auto first = std::ranges::find_if(mappings, [&](const Mapping& mapping) {
    return mapping.inode == inode && mapping.offset == 0;
  });
  if (first == mappings.end()) return std::nullopt;
  return first->start - first_address;
}

Result<UniqueFd> open_mapped_file(uint32_t pid, const Mapping& mapping) {
  if (mapping.inode == 0) return fail("no file is mapped there");
  const std::string folder = fmt::format("/proc/{}", pid);
  const std::string link =
      fmt::format("{}/map_files/{:x}-{:x}", folder, mapping.start, mapping.end);
  UniqueFd file(::open(link.c_str(), O_PATH | O_CLOEXEC));
  if (file) return file;
  file.reset(::open((folder + "/exe").c_str(), O_PATH | O_CLOEXEC));
  if (file && is_inode(file.get(), mapping.inode)) return file;
  auto in_root = open_in_root(folder + "/root", mapping.path);
  if (!in_root) return in_root;
  if (!is_inode(in_root->get(), mapping.inode)) return fail("replaced since it was mapped");
  return in_root;
}

Result<std::string> read_vdso(uint32_t pid, const Mapping& mapping) {
  const uint64_t size = mapping.end - mapping.start;
  if (size > kMaxVdso) return fail("too large for a vDSO");
  const std::string path = fmt::format("/proc/{}/mem", pid);
  const UniqueFd memory(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string bytes(size, '\0');
  if (memory && ::pread(memory.get(), bytes.data(), size, static_cast<off_t>(mapping.start)) ==
                    static_cast<ssize_t>(size)) {
    return bytes;
  }
  if (auto own = own_vdso(size)) return std::move(*own);
  return fail(fmt::format("cannot read {}", path));
}

std::optional<uint64_t> start_time(uint32_t pid) {
  const auto text = read_file(fmt::format("/proc/{}/stat", pid), kMaxStat);
  if (!text) return std::nullopt;
  // "PID (NAME) STATE …": the name may contain anything, ')' and ' ' too. The
  // start time is the 22nd field, the 20th behind the name.
  std::string_view rest(*text);
  const size_t name_end = rest.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(name_end + 1);
  for (int skipped = 0; skipped < 20; ++skipped) {
    const size_t space = rest.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(space + 1);
  }
  uint64_t ticks = 0;
  return take_number(rest, 10, ' ', ticks) ? std::optional(ticks) : std::nullopt;
}

}  // namespace dbtrace::symbols
