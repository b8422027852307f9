#include "symbols/perf_map.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <vector>

#include "symbols/read_file.h"

namespace dbtrace::symbols {
namespace {

constexpr size_t kMaxStatus = 64 * 1024;
constexpr size_t kMaxName = 4096;

// The fields of "Name:\tfield\tfield…" in /proc/PID/status.
std::vector<uint32_t> status_numbers(std::string_view status, std::string_view name) {
  std::vector<uint32_t> numbers;
  const std::string key = fmt::format("\n{}:", name);
  const size_t at = status.find(key);
  if (at == std::string_view::npos) return numbers;
  std::string_view rest = status.substr(at + key.size());
  rest = rest.substr(0, rest.find('\n'));
  for (;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    uint32_t number = 0;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc()) return numbers;
    numbers.push_back(number);
    rest.remove_prefix(static_cast<size_t>(stop - rest.data()));
  }
}

// Takes a hex number, with or without 0x, and the space behind it.
std::optional<uint64_t> take_hex(std::string_view& line) {
  if (line.starts_with("0x") || line.starts_with("0X")) line.remove_prefix(2);
  uint64_t number = 0;
  const char* end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data(), end, number, 16);
  if (error != std::errc() || stop == end || *stop != ' ') return std::nullopt;
  line.remove_prefix(static_cast<size_t>(stop - line.data()) + 1);
  return number;
}

std::optional<NamedRanges::Range> parse_line(std::string_view line) {
  const auto start = take_hex(line);
  const auto size = start ? take_hex(line) : std::nullopt;
  if (!size || *size == 0 || *size > UINT64_MAX - *start || line.empty()) return std::nullopt;
  return NamedRanges::Range{
      .start = *start, .end = *start + *size, .name = line.substr(0, kMaxName), .tier = 0};
}

}  // namespace

std::string PerfMapPlace::path() const { return fmt::format("/tmp/perf-{}.map", pid); }

Result<PerfMapPlace> perf_map_place(uint32_t pid) {
  const auto status = read_file(fmt::format("/proc/{}/status", pid), kMaxStatus);
  if (!status) return tl::unexpected(status.error());
  // NSpid: the pid here first, in the innermost namespace last. Uid: real,
  // effective, saved, file system.
  const auto pids = status_numbers(*status, "NSpid");
  const auto users = status_numbers(*status, "Uid");
  if (users.size() < 2) return fail("not there");
  return PerfMapPlace{.pid = pids.empty() ? pid : pids.back(), .owner = users[1]};
}

Result<UniqueFd> open_perf_map(const std::string& root, const PerfMapPlace& place) {
  const UniqueFd folder(
      ::open(root.empty() ? "/" : root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return fail(fmt::format("{}: {}", root, std::strerror(errno)));
  struct open_how how {};
  how.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const UniqueFd found(static_cast<int>(
      ::syscall(SYS_openat2, folder.get(), place.path().c_str(), &how, sizeof(how))));
  if (!found) return fail(errno == ENOENT ? "not there" : std::strerror(errno));
  struct stat status {};
  if (::fstat(found.get(), &status) != 0) return fail(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return fail("not a regular file");
  if (status.st_uid != place.owner && status.st_uid != 0) return fail("belongs to somebody else");
  // What was looked at is what is opened, whatever the name says by now.
  UniqueFd file(::open(fmt::format("/proc/self/fd/{}", found.get()).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(std::strerror(errno));
  return file;
}

Result<NamedRanges> parse_perf_map(std::string_view text) {
  std::vector<NamedRanges::Range> ranges;
  // A line that has no end yet is still being written.
  for (size_t end = 0; (end = text.find('\n')) != std::string_view::npos;) {
    if (const auto range = parse_line(text.substr(0, end))) ranges.push_back(*range);
    text.remove_prefix(end + 1);
  }
  return NamedRanges::build(std::move(ranges), Overlap::Latest);
}

}  // namespace dbtrace::symbols
