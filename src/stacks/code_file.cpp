#include "src/stacks/code_file.h"

#include <utility>

#include "symbols/memory_file.h"

namespace dbtrace::stacks {
namespace {

// Descriptors that may be held; a process usually gets 1,024 in all.
constexpr size_t kMaxFiles = 256;
constexpr size_t kMaxImages = 8;
// Places of one file whose rules are kept, of 300 bytes each: a busy server's stacks
// have some thousand in all.
constexpr size_t kMaxKnown = 16'384;

// What the map knows under `key`, if it is still there, or what `make` makes.
template <typename Map, typename Key, typename Make>
std::shared_ptr<CodeFile> shared(Map& map, const Key& key, size_t most, Make make) {
  if (const auto known = map.find(key); known != map.end()) {
    if (auto file = known->second.lock()) return file;
  }
  std::erase_if(map, [](const auto& entry) { return entry.second.expired(); });
  if (map.size() >= most) return nullptr;
  std::shared_ptr<CodeFile> made = make();
  if (made) map[key] = made;
  return made;
}

}  // namespace

CodeFile::CodeFile(UniqueFd file, std::string name)
    : file_(std::move(file)), name_(std::move(name)) {}

void CodeFile::open() {
  is_opened_ = true;
  // Its descriptor goes, as nothing more will be read.
  const auto elf = symbols::ElfFile::open(std::move(file_), name_);
  if (!elf) return;
  const auto segments = elf->executable_segments();
  segments_.assign(segments.begin(), segments.end());
  frames_.emplace(*elf);
}

const FrameRules* CodeFile::rules_at(uint64_t offset) {
  if (!is_opened_) open();
  const auto address = symbols::link_address(segments_, offset);
  if (!address) return nullptr;
  if (known_.size() >= kMaxKnown && !known_.contains(*address)) known_.clear();
  const auto [entry, is_new] = known_.try_emplace(*address);
  if (is_new) entry->second = frames_->at(*address);
  return entry->second ? &*entry->second : nullptr;
}

std::shared_ptr<CodeFile> CodeFiles::of_file(UniqueFd file, const std::string& name) {
  const auto id = symbols::FileId::of(file);
  if (!id) return nullptr;
  return shared(files_, *id, kMaxFiles,
                [&] { return std::make_shared<CodeFile>(std::move(file), name); });
}

std::shared_ptr<CodeFile> CodeFiles::of_image(const std::string& bytes, const std::string& name) {
  return shared(images_, bytes, kMaxImages, [&]() -> std::shared_ptr<CodeFile> {
    auto file =
        symbols::memory_file(name, {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    return file ? std::make_shared<CodeFile>(std::move(*file), name) : nullptr;
  });
}

}  // namespace dbtrace::stacks
