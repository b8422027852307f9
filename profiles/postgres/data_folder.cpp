#include "profiles/postgres/data_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string_view>

#include "profiles/postgres/number.h"

namespace dbtrace::profiles::postgres {
namespace {

constexpr const char* kFileMap = "pg_filenode.map";
constexpr size_t kTablespacesMax = 1000;

UniqueFd open_in(const UniqueFd& folder, const char* path, uint64_t flags, uint64_t resolve) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = resolve | RESOLVE_NO_MAGICLINKS;
  return UniqueFd(static_cast<int>(::syscall(SYS_openat2, folder.get(), path, &how, sizeof(how))));
}

UniqueFd open_folder(const UniqueFd& folder, const std::string& path,
                     uint64_t resolve = RESOLVE_BENEATH) {
  return open_in(folder, path.c_str(), O_RDONLY | O_DIRECTORY, resolve);
}

// A file that is not what it seems must not keep anybody waiting.
UniqueFd open_file(const UniqueFd& folder, const std::string& name) {
  UniqueFd file = open_in(folder, name.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY, RESOLVE_BENEATH);
  struct stat status {};
  if (file && (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))) file.reset();
  return file;
}

// Until `handler` says that it has enough.
void each_entry(const UniqueFd& folder, const std::function<bool(std::string_view)>& handler) {
  UniqueFd copy = open_folder(folder, ".");
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(copy ? ::fdopendir(copy.get()) : nullptr,
                                                    ::closedir);
  if (!entries) return;
  (void)copy.take();
  while (const dirent* entry = ::readdir(entries.get()))
    if (handler(entry->d_name)) return;
}

std::string link_target(const UniqueFd& folder, const std::string& name) {
  std::array<char, 4096> target;
  const ssize_t size = ::readlinkat(folder.get(), name.c_str(), target.data(), target.size());
  return size > 0 ? std::string(target.data(), static_cast<size_t>(size)) : std::string();
}

}  // namespace

std::vector<std::byte> Folder::read(const std::string& name, size_t most, size_t offset) const {
  constexpr size_t kStep = 1 << 20;
  std::vector<std::byte> bytes;
  const UniqueFd file = open_file(folder_, name);
  while (file && bytes.size() < most) {
    const size_t known = bytes.size();
    bytes.resize(std::min(most, known + kStep));
    const ssize_t size = ::pread(file.get(), bytes.data() + known, bytes.size() - known,
                                 static_cast<off_t>(offset + known));
    bytes.resize(known + static_cast<size_t>(std::max<ssize_t>(size, 0)));
    if (size <= 0) break;
  }
  return bytes;
}

FileStamp Folder::stamp(const std::string& name) const {
  struct stat status {};
  if (::fstatat(folder_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
  return {.inode = status.st_ino,
          .size = status.st_size,
          .seconds = status.st_mtim.tv_sec,
          .nanoseconds = status.st_mtim.tv_nsec};
}

std::optional<DataFolder> DataFolder::at(const std::string& path, const std::string& root) {
  UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  UniqueFd top(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || !top) return std::nullopt;
  return DataFolder(std::move(folder), std::move(top));
}

std::optional<DataFolder> DataFolder::of_process(uint32_t pid) {
  const std::string process = "/proc/" + std::to_string(pid);
  return at(process + "/cwd", process + "/root");
}

int DataFolder::major() const {
  std::array<char, 16> text{};
  const UniqueFd file = open_file(folder_, "PG_VERSION");
  const ssize_t size = file ? ::pread(file.get(), text.data(), text.size(), 0) : 0;
  std::string_view line(text.data(), static_cast<size_t>(std::max<ssize_t>(size, 0)));
  const uint32_t number = number_of(line.substr(0, line.find('\n'))).value_or(0);
  return number < 1000 ? static_cast<int>(number) : 0;
}

uint64_t DataFolder::system_identifier() const {
  uint64_t identifier = 0;
  const UniqueFd file = open_file(folder_, "global/pg_control");
  const bool is_read =
      file && ::pread(file.get(), &identifier, sizeof(identifier), 0) == sizeof(identifier);
  return is_read ? identifier : 0;
}

std::vector<uint32_t> DataFolder::databases(size_t most) const {
  std::vector<uint32_t> numbers;
  if (const UniqueFd base = open_folder(folder_, "base"))
    each_entry(base, [&](std::string_view name) {
      if (const auto number = number_of(name)) numbers.push_back(*number);
      return numbers.size() >= most;
    });
  std::ranges::sort(numbers);
  return numbers;
}

std::optional<Folder> DataFolder::database(uint32_t number) const {
  UniqueFd folder = open_folder(folder_, number == 0 ? "global" : "base/" + std::to_string(number));
  // A database of another tablespace has no folder in base.
  if (!folder) return in_tablespaces(number);
  return Folder(std::move(folder));
}

std::optional<Folder> DataFolder::transactions() const {
  UniqueFd folder = open_folder(folder_, "pg_xact");
  if (!folder) return std::nullopt;
  return Folder(std::move(folder));
}

// pg_tblspc/OID is a link to a folder with one for each version: PG_15_202209061.
std::optional<Folder> DataFolder::in_tablespaces(uint32_t number) const {
  const UniqueFd spaces = open_folder(folder_, "pg_tblspc");
  if (!spaces) return std::nullopt;
  const std::string version = "PG_" + std::to_string(major()) + "_";
  std::optional<Folder> found;
  size_t seen = 0;
  each_entry(spaces, [&](std::string_view name) {
    if (!number_of(name)) return false;
    const UniqueFd space =
        open_folder(root_, link_target(spaces, std::string(name)), RESOLVE_IN_ROOT);
    if (space)
      each_entry(space, [&](std::string_view part) {
        if (!part.starts_with(version)) return false;
        UniqueFd folder = open_folder(space, std::string(part) + '/' + std::to_string(number));
        Folder database(std::move(folder));
        if (database.stamp(kFileMap).inode != 0) found.emplace(std::move(database));
        return found.has_value();
      });
    return found.has_value() || ++seen >= kTablespacesMax;
  });
  return found;
}

}  // namespace dbtrace::profiles::postgres
