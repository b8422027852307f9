#include "symbols/debug_file.h"

#include <elf.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>

#include "symbols/elf_image.h"
#include "symbols/root.h"
#include "symbols/symbol_table.h"

namespace dbtrace::symbols {
namespace {

// A path to try: `root` is "" for the host's own.
struct Place {
  std::string root;
  std::string path;

  bool operator==(const Place&) const = default;
  std::string text() const { return root + path; }
};

std::vector<std::string> roots(const FinderOptions& options) {
  std::vector<std::string> result;
  if (!options.target_root.empty()) result.push_back(options.target_root);
  result.emplace_back();
  return result;
}

// The folders that hold debug files of many binaries: the user's, then the
// packages' in the target's root, then those in the host's.
std::vector<Place> debug_folders(const FinderOptions& options) {
  std::vector<Place> folders;
  for (const std::string& folder : options.user_debug_folders) folders.push_back({"", folder});
  for (const std::string& root : roots(options))
    for (const std::string& folder : options.debug_folders) folders.push_back({root, folder});
  return folders;
}

std::vector<Place> build_id_places(const std::string& build_id, const FinderOptions& options) {
  std::vector<Place> places;
  if (build_id.size() <= 2) return places;
  const std::string name =
      fmt::format("/.build-id/{}/{}.debug", build_id.substr(0, 2), build_id.substr(2));
  for (const Place& folder : debug_folders(options))
    places.push_back({folder.root, folder.path + name});
  return places;
}

// `path`, as the host sees it, as a process whose root is `root` sees it.
std::filesystem::path beneath_root(const std::filesystem::path& path, const std::string& root) {
  std::error_code error;
  const auto real_root = std::filesystem::canonical(root, error);
  if (error || real_root == "/") return path;
  const auto relative = path.lexically_relative(real_root);
  const bool outside = relative.empty() || *relative.begin() == "..";
  return outside ? path : "/" / relative;
}

// Where the binary lies inside the target's root, as the kernel says: with the
// links on the way resolved.
std::string path_in_root(const ElfFile& binary, const FinderOptions& options) {
  const std::filesystem::path real = binary.real_path();
  return options.target_root.empty() ? real : beneath_root(real, options.target_root);
}

// The folders that the binary may be said to lie in: as given, and as the kernel says.
std::vector<std::string> binary_folders(const ElfFile& binary, const FinderOptions& options) {
  std::vector<std::string> folders;
  if (!options.path_in_root.empty()) {
    folders.push_back(std::filesystem::path(options.path_in_root).parent_path().string());
  }
  folders.push_back(std::filesystem::path(path_in_root(binary, options)).parent_path().string());
  return folders;
}

std::vector<Place> debug_link_places(const std::string& file, const ElfFile& binary,
                                     const FinderOptions& options) {
  std::vector<Place> places;
  const auto add = [&places](Place place) {
    if (std::find(places.begin(), places.end(), place) == places.end()) {
      places.push_back(std::move(place));
    }
  };
  for (const std::string& folder : binary_folders(binary, options)) {
    // The binary's own folder exists in the target's root only.
    add({options.target_root, fmt::format("{}/{}", folder, file)});
    add({options.target_root, fmt::format("{}/.debug/{}", folder, file)});
    for (const Place& debug_folder : debug_folders(options))
      add({debug_folder.root, fmt::format("{}{}/{}", debug_folder.path, folder, file)});
  }
  for (const std::string& folder : options.user_debug_folders)
    add({"", fmt::format("{}/{}", folder, file)});
  return places;
}

// What RPMs install for a binary without a link: its path below a debug folder,
// with ".debug" behind it.
std::vector<Place> path_places(const ElfFile& binary, const FinderOptions& options) {
  std::vector<Place> places;
  const std::string path = path_in_root(binary, options);
  for (const Place& folder : debug_folders(options))
    places.push_back({folder.root, fmt::format("{}{}.debug", folder.path, path)});
  return places;
}

uint32_t crc_of(const ElfFile& file) {
  const auto bytes = image_of(file).bytes;
  return static_cast<uint32_t>(::crc32_z(0, bytes.data(), bytes.size()));
}

// Why `candidate` is not the debug file of `binary`; "" when it is. `crc` is
// what the debuglink demands; a build-id proves more, at no cost.
std::string mismatch(const ElfFile& binary, const ElfFile& candidate, std::optional<uint32_t> crc) {
  if (candidate.inode() == binary.inode()) return "is the binary itself";
  if (!binary.build_id().empty()) {
    if (candidate.build_id() == binary.build_id()) return {};
    if (candidate.build_id().empty()) return "has no build-id, but the binary has";
    return fmt::format("build-id differs: {}, the binary has {}", candidate.build_id(),
                       binary.build_id());
  }
  if (!crc) return "cannot be verified: the binary has neither build-id nor .gnu_debuglink";
  const uint32_t found = crc_of(candidate);
  if (found == *crc) return {};
  return fmt::format("CRC differs: {:08x}, the binary wants {:08x}", found, *crc);
}

// Opens the file at `place` if it is what is looked for; else the error says
// what it is instead.
Result<DebugFile> try_place(const Place& place, const ElfFile& binary,
                            std::optional<uint32_t> crc) {
  auto descriptor = open_in_root(place.root, place.path);
  if (!descriptor) return tl::unexpected(std::move(descriptor.error()));
  auto file = ElfFile::open(std::move(*descriptor), place.text());
  if (!file) return tl::unexpected(std::move(file.error()));
  if (std::string reason = mismatch(binary, *file, crc); !reason.empty()) return fail(reason);
  auto symbols = SymbolTable::read(*file, SHT_SYMTAB);
  if (!symbols) return tl::unexpected(std::move(symbols.error()));
  return DebugFile{std::move(*file), std::move(*symbols)};
}

std::optional<DebugFile> try_places(const std::vector<Place>& places, const ElfFile& binary,
                                    std::optional<uint32_t> crc,
                                    std::vector<DebugFileAttempt>& attempts) {
  for (const Place& place : places) {
    auto found = try_place(place, binary, crc);
    if (found) {
      attempts.push_back({.path = place.text(), .outcome = "used", .used = true});
      return std::move(*found);
    }
    attempts.push_back({.path = place.text(), .outcome = found.error().message, .used = false});
  }
  return std::nullopt;
}

}  // namespace

std::optional<DebugFile> find_debug_file(const ElfFile& binary, const FinderOptions& options,
                                         std::vector<DebugFileAttempt>& attempts) {
  const auto link = binary.debug_link();
  const auto crc = link ? std::optional(link->crc) : std::nullopt;
  if (!options.debug_file.empty()) {
    auto own = try_places({{"", options.debug_file}}, binary, crc, attempts);
    if (own) return own;
  }
  auto by_id = try_places(build_id_places(binary.build_id(), options), binary, {}, attempts);
  if (by_id) return by_id;
  if (!link) {
    // Nothing but the build-id could tell that a file there is the right one.
    if (binary.build_id().empty()) return std::nullopt;
    return try_places(path_places(binary, options), binary, {}, attempts);
  }
  if (link->file.find('/') != std::string::npos) {
    attempts.push_back({.path = link->file,
                        .outcome = "refused: .gnu_debuglink must be a name without '/'",
                        .used = false});
    return std::nullopt;
  }
  return try_places(debug_link_places(link->file, binary, options), binary, crc, attempts);
}

}  // namespace dbtrace::symbols
