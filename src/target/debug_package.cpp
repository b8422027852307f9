#include "src/target/debug_package.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "symbols/read_file.h"
#include "symbols/root.h"
#include "symbols/unique.h"

namespace dbtrace::target {
namespace {

// Of Debian's lists of files (/var/lib/dpkg/info/PACKAGE.list), the longest are a megabyte.
constexpr size_t kMostBytes = 8U << 20;
constexpr const char* kLists = "/var/lib/dpkg/info";
constexpr std::string_view kList = ".list";

// A family of distributions, by the ID or ID_LIKE of os-release(5), and how it names debug
// packages. {owner}, {suite} and {program} stand for what they say.
struct Family {
  std::string_view id;
  bool has_lists;  // of dpkg: the owner can be found
  std::string_view advice;
};
constexpr std::array<Family, 5> kFamilies = {{
    {"ubuntu", true,
     "install {owner}-dbgsym (for Ubuntu's own packages: from its archive of debug symbols, "
     "ddebs, suite {suite})"},
    {"debian", true,
     "install {owner}-dbgsym (for Debian's own packages: from its archive debian-debug, suite "
     "{suite}-debug)"},
    {"fedora", false, "dnf debuginfo-install $(rpm -qf {program})"},
    {"rhel", false, "dnf debuginfo-install $(rpm -qf {program})"},
    {"suse", false, "zypper install $(rpm -qf --qf '%{{NAME}}-debuginfo' {program})"},
}};

// Of a regular file only: what strangers put in its place must not make us wait.
std::string read_at(int folder, const char* name) {
  const UniqueFd file(::openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return symbols::read_all(file.get(), kMostBytes).value_or("");
}

std::string read_os_release(const std::string& root) {
  for (const char* path : {"/etc/os-release", "/usr/lib/os-release"}) {
    const auto found = symbols::open_in_root(root, path);
    struct stat status {};
    if (!found || ::fstat(found->get(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    const UniqueFd file(
        ::open(fmt::format("/proc/self/fd/{}", found->get()).c_str(), O_RDONLY | O_CLOEXEC));
    if (file) return symbols::read_all(file.get(), kMostBytes).value_or("");
  }
  return {};
}

// The value of a line NAME=value or NAME="value"; "" when there is none.
std::string value_of(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != '=') continue;
    line.remove_prefix(name.size() + 1);
    if (line.size() >= 2 && (line.front() == '"' || line.front() == '\'')) {
      line.remove_prefix(1);
      line.remove_suffix(1);
    }
    return std::string(line);
  }
  return {};
}

bool has_line(std::string_view text, std::string_view line) {
  for (size_t at = text.find(line); at != std::string_view::npos; at = text.find(line, at + 1)) {
    const size_t end = at + line.size();
    if ((at == 0 || text[at - 1] == '\n') && (end == text.size() || text[end] == '\n')) return true;
  }
  return false;
}

// "mariadb-server-core" of "mariadb-server-core:amd64.list".
std::string package_of(std::string_view file) {
  file.remove_suffix(kList.size());
  return std::string(file.substr(0, file.find(':')));
}

// What stands in advice is typed into shells, and whoever made the root chose it.
bool is_plain(std::string_view word) {
  return std::ranges::all_of(word, [](unsigned char letter) {
    return std::isalnum(letter) ||
           std::string_view("+-./_:~").find(static_cast<char>(letter)) != std::string_view::npos;
  });
}

std::string owner_in_lists(const std::string& root, const std::string& program) {
  const auto place = symbols::open_in_root(root, kLists);
  if (!place) return {};
  const int folder = ::openat(place->get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return {};
  const std::unique_ptr<DIR, int (*)(DIR*)> lists(::fdopendir(folder), ::closedir);
  if (!lists) return {};
  // Packages may know the file by its place before /usr was merged with /.
  std::vector<std::string_view> names = {program};
  if (program.starts_with("/usr/")) names.push_back(std::string_view(program).substr(4));
  while (const dirent* entry = ::readdir(lists.get())) {
    if (!std::string_view(entry->d_name).ends_with(kList)) continue;
    if (!is_plain(package_of(entry->d_name))) continue;
    const std::string files = read_at(folder, entry->d_name);
    for (const std::string_view name : names)
      if (has_line(files, name)) return package_of(entry->d_name);
  }
  return {};
}

const Family* family_of(std::string_view os_release) {
  const std::string ids =
      fmt::format(" {} {} ", value_of(os_release, "ID"), value_of(os_release, "ID_LIKE"));
  const auto found = std::ranges::find_if(kFamilies, [&ids](const Family& family) {
    return ids.find(fmt::format(" {} ", family.id)) != std::string::npos;
  });
  return found == kFamilies.end() ? nullptr : found;
}

// As a process with this root calls it.
std::string inside(const std::string& root, const std::string& program) {
  std::error_code error;
  const std::string outside = std::filesystem::read_symlink(root, error);
  if (error || outside == "/" || !program.starts_with(outside + "/")) return program;
  return program.substr(outside.size());
}

}  // namespace

std::optional<DebugPackage> debug_package(const std::string& root, const std::string& program) {
  const std::string os_release = read_os_release(root);
  const Family* family = family_of(os_release);
  if (!family) return std::nullopt;
  const std::string path = inside(root, program);
  const std::string suite = value_of(os_release, "VERSION_CODENAME");
  if (!is_plain(path) || !is_plain(suite)) return std::nullopt;
  DebugPackage package;
  package.distribution = value_of(os_release, "PRETTY_NAME");
  if (family->has_lists) package.owner = owner_in_lists(root, path);
  package.advice =
      family->has_lists && package.owner.empty()
          ? fmt::format("no package has {}: its debug symbols are with whoever built it", path)
          : fmt::format(fmt::runtime(family->advice), fmt::arg("owner", package.owner),
                        fmt::arg("program", path), fmt::arg("suite", suite));
  return package;
}

}  // namespace dbtrace::target
