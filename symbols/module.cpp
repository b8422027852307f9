#include "symbols/module.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>

#include "symbols/debug_file.h"
#include "symbols/function_ranges.h"
#include "symbols/memory_file.h"
#include "symbols/read_file.h"

namespace dbtrace::symbols {
namespace {

// Descriptors that may be held for files; a process usually gets 1,024 in all.
constexpr size_t kMaxFiles = 512;
// A machine has one, two with 32-bit processes. Others are somebody's joke.
constexpr size_t kMaxImages = 8;
// Files whose debug information is open at a time: a server, libc, the C++ library.
constexpr size_t kMaxLines = 3;

}  // namespace

std::string path_of(const UniqueFd& file) { return fmt::format("/proc/self/fd/{}", file.get()); }

FileModule::FileModule(UniqueFd file, std::string name, Root root,
                       std::vector<std::string> debug_folders)
    : file_(std::move(file)),
      name_(std::move(name)),
      root_(std::move(root)),
      debug_folders_(std::move(debug_folders)) {}

void FileModule::release() {
  file_.reset();
  root_.reset();
}

void FileModule::hold(UniqueFd file, Root root) {
  if (file_) return;
  file_ = std::move(file);
  root_ = std::move(root);
}

Result<ElfFile> FileModule::open() const {
  return ElfFile::open(UniqueFd(::fcntl(file_.get(), F_DUPFD_CLOEXEC, 0)), name_);
}

FinderOptions FileModule::finder_options() const {
  FinderOptions options;
  if (root_) options.target_root = path_of(*root_);
  options.debug_folders = debug_folders_;
  return options;
}

Result<Names> FileModule::read() const {
  auto elf = open();
  if (!elf) return tl::unexpected(std::move(elf.error()));
  const FinderOptions options = finder_options();
  Names names;
  const auto segments = elf->executable_segments();
  names.segments.assign(segments.begin(), segments.end());
  auto functions =
      functions_by_address(std::move(*elf), debug_folders_.empty() ? nullptr : &options);
  // A file that lies about its symbols keeps its addresses.
  if (functions) names.functions = std::move(*functions);
  return names;
}

Result<SourceLines> FileModule::read_lines() const {
  const auto elf = open();
  if (!elf) return tl::unexpected(elf.error());
  auto own = SourceLines::open(*elf);
  if (own || debug_folders_.empty()) return own;
  std::vector<DebugFileAttempt> attempts;
  const auto debug_file = find_debug_file(*elf, finder_options(), attempts);
  return debug_file ? SourceLines::open(debug_file->file) : std::move(own);
}

Result<SourceLines> Module::read_lines() const { return fail("has no source"); }

PerfMapModule::PerfMapModule(Root root, PerfMapPlace place)
    : root_(std::move(root)), place_(place) {}

Result<Names> PerfMapModule::read() const {
  if (!root_) return fail("the root of the process cannot be opened");
  const auto file = open_perf_map(path_of(*root_), place_);
  if (!file) return tl::unexpected(file.error());
  const auto text = read_all(file->get(), kMaxPerfMap);
  if (!text) return tl::unexpected(text.error());
  auto functions = parse_perf_map(*text);
  if (!functions) return tl::unexpected(functions.error());
  return Names{.segments = {}, .functions = std::move(*functions)};
}

ModuleCache::ModuleCache(std::vector<std::string> debug_folders, size_t memory_limit)
    : debug_folders_(std::move(debug_folders)), memory_limit_(memory_limit) {}

std::shared_ptr<Module> ModuleCache::of_file(UniqueFd file, const std::string& name,
                                             const Root& root) {
  const auto id = FileId::of(file);
  if (!id) return nullptr;
  const auto known = files_.find(*id);
  if (known != files_.end()) {
    known->second->hold(std::move(file), root);
    return known->second;
  }
  if (!has_room_for_file()) return nullptr;
  auto module = std::make_shared<FileModule>(std::move(file), name, root, debug_folders_);
  files_.emplace(*id, module);
  return module;
}

std::shared_ptr<Module> ModuleCache::of_image(const std::string& bytes, const std::string& name) {
  if (const auto known = images_.find(bytes); known != images_.end()) return known->second;
  if (images_.size() == kMaxImages) return nullptr;
  auto file = memory_file(name, {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  if (!file) return nullptr;
  auto module = std::make_shared<FileModule>(std::move(*file), name, nullptr, debug_folders_);
  images_.emplace(bytes, module);
  return module;
}

std::shared_ptr<Module> ModuleCache::of_perf_map(const Root& root, const PerfMapPlace& place) {
  std::erase_if(perf_maps_, [](const auto& map) { return map.expired(); });
  auto module = std::make_shared<PerfMapModule>(root, place);
  perf_maps_.push_back(module);
  return module;
}

Names* ModuleCache::names(Module& module) {
  module.last_use_ = ++uses_;
  if (module.state_ == Module::State::Unread) {
    auto names = module.read();
    module.state_ = names ? Module::State::Read : Module::State::Unreadable;
    if (names) module.names_ = std::move(*names);
    make_room(module);
  }
  return module.state_ == Module::State::Read ? &module.names_ : nullptr;
}

SourceLines* ModuleCache::lines(Module& module) {
  module.last_use_of_lines_ = ++uses_;
  if (module.lines_state_ == Module::State::Unread) {
    make_room_for_lines();
    auto lines = module.read_lines();
    module.lines_state_ = lines ? Module::State::Read : Module::State::Unreadable;
    if (lines) module.lines_ = std::move(*lines);
  }
  return module.lines_ ? &*module.lines_ : nullptr;
}

void ModuleCache::make_room_for_lines() {
  std::vector<Module*> opened;
  for (const auto& [id, module] : files_)
    if (module->lines_) opened.push_back(module.get());
  if (opened.size() < kMaxLines) return;
  Module& oldest = **std::ranges::min_element(opened, {}, &Module::last_use_of_lines_);
  oldest.lines_.reset();
  oldest.lines_state_ = Module::State::Unread;
}

void ModuleCache::reread(Module& module) {
  module.state_ = Module::State::Unread;
  module.names_ = {};
}

void ModuleCache::release_unused() {
  std::erase_if(files_, [](const auto& entry) {
    const auto& [id, module] = entry;
    if (module.use_count() > 1) return false;
    module->release();
    module->lines_.reset();
    module->lines_state_ = Module::State::Unread;
    return module->state_ != Module::State::Read;
  });
}

bool ModuleCache::has_room_for_file() {
  if (files_.size() < kMaxFiles) return true;
  std::erase_if(files_, [](const auto& entry) { return entry.second.use_count() == 1; });
  return files_.size() < kMaxFiles;
}

void ModuleCache::make_room(const Module& wanted) {
  std::vector<Module*> droppable;
  size_t total = 0;
  const auto count = [&](Module& module) {
    if (module.state_ != Module::State::Read) return;
    total += module.names_.functions.memory();
    if (&module != &wanted) droppable.push_back(&module);
  };
  for (const auto& [id, module] : files_) count(*module);
  for (const auto& weak : perf_maps_) {
    if (const auto module = weak.lock()) count(*module);
  }
  std::sort(droppable.begin(), droppable.end(),
            [](const Module* a, const Module* b) { return a->last_use_ < b->last_use_; });
  for (Module* module : droppable) {
    if (total <= memory_limit_) break;
    total -= module->names_.functions.memory();
    reread(*module);
  }
  // Files that nobody has mapped and whose names are gone are of no use.
  release_unused();
}

size_t ModuleCache::memory() const {
  size_t total = 0;
  for (const auto& [id, module] : files_) total += module->names_.functions.memory();
  for (const auto& weak : perf_maps_) {
    if (const auto module = weak.lock()) total += module->names_.functions.memory();
  }
  return total;
}

}  // namespace dbtrace::symbols
