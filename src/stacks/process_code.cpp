#include "src/stacks/process_code.h"

#include <utility>

#include "symbols/process_maps.h"

namespace dbtrace::stacks {

ProcessCode::ProcessCode(uint32_t pid, CodeFiles& files) : pid_(pid), files_(&files) {}

std::shared_ptr<CodeFile> ProcessCode::file_of(const symbols::Mapping& mapping) {
  if (mapping.is_vdso()) {
    const auto bytes = symbols::read_vdso(pid_, mapping);
    return bytes ? files_->of_image(*bytes, mapping.path) : nullptr;
  }
  auto file = symbols::open_mapped_file(pid_, mapping);
  return file ? files_->of_file(std::move(*file), mapping.path) : nullptr;
}

bool ProcessCode::read() {
  // Another process of the same pid is none of ours.
  const auto started = symbols::start_time(pid_);
  if (!started || (started_ && started_ != started)) return false;
  auto maps = symbols::read_maps(pid_);
  if (!maps) return false;
  code_ = {std::move(*maps), [this](const symbols::Mapping& mapping) { return file_of(mapping); }};
  started_ = started;
  return true;
}

ProcessCode::Place ProcessCode::at(uint64_t address) {
  const auto* entry = code_.at(address);
  if (entry == nullptr) {
    patience_.try_again([this] { read(); });
    entry = code_.at(address);
  }
  if (entry == nullptr) return {};
  const symbols::Mapping& mapping = entry->mapping;
  return {.is_code = true,
          .is_return_probe = mapping.is_return_probe(),
          .rules = entry->module == nullptr
                       ? nullptr
                       : entry->module->rules_at(address - mapping.start + mapping.offset)};
}

}  // namespace dbtrace::stacks
