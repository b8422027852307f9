#include "src/stacks/call_frame_info.h"

#include <dwarf.h>

#include <algorithm>
#include <utility>

namespace dbtrace::stacks {
namespace {

// A browser's has 30 MB.
constexpr size_t kMaxSection = 64U << 20;
// Of one entry: what a function needs is some ten bytes long, some thousand for a yacc parser;
// what functions have in common, some ten again.
constexpr size_t kMaxFunction = 64U << 10;
constexpr size_t kMaxCommon = 1U << 10;

constexpr uint32_t kWide = 0xffffffff;  // "the length is 64 bits and follows"

}  // namespace

FrameSection::FrameSection(symbols::SectionContent content, Flavor flavor)
    : bytes_(std::move(content.bytes)),
      address_(content.address),
      is_eh_(flavor == Flavor::EhFrame) {
  // Neighbours mostly have the same CIE.
  uint64_t last_id = UINT64_MAX;
  std::optional<Common> common;
  size_t position = 0;
  while (const auto entry = entry_at(position)) {
    if (!entry->is_common && entry->end > entry->body) {
      if (entry->id != last_id) common = common_at(entry->id);
      last_id = entry->id;
      if (common) add_function(position, *entry, *common);
    }
    position = entry->end;
  }
  std::stable_sort(functions_.begin(), functions_.end(),
                   [](const Function& a, const Function& b) { return a.start < b.start; });
  functions_.shrink_to_fit();
}

Cursor FrameSection::part(size_t begin, size_t end) const {
  return Cursor(std::span(bytes_).first(std::min(end, bytes_.size())), begin);
}

std::optional<FrameSection::Entry> FrameSection::entry_at(size_t position) const {
  Cursor cursor = part(position, bytes_.size());
  Entry entry;
  uint64_t length = cursor.take<uint32_t>();
  entry.is_wide = length == kWide;
  if (entry.is_wide) length = cursor.take<uint64_t>();
  if (cursor.failed() || length > cursor.left()) return std::nullopt;
  entry.end = cursor.position() + length;
  entry.body = entry.end;
  // Linkers end a part of an .eh_frame with a length of 0; others may follow.
  if (length == 0) return entry;
  const size_t id_position = cursor.position();
  const bool wide_id = entry.is_wide && !is_eh_;
  entry.id = wide_id ? cursor.take<uint64_t>() : cursor.take<uint32_t>();
  if (cursor.failed()) return std::nullopt;
  entry.is_common = entry.id == (is_eh_ ? 0 : wide_id ? UINT64_MAX : UINT32_MAX);
  if (is_eh_ && !entry.is_common) entry.id = id_position - entry.id;
  if (cursor.position() > entry.end) return std::nullopt;
  entry.body = cursor.position();
  return entry;
}

std::optional<FrameSection::Common> FrameSection::common_at(size_t position) const {
  const auto entry = entry_at(position);
  if (!entry || !entry->is_common || entry->end - position > kMaxCommon) return std::nullopt;
  Cursor cursor = part(entry->body, entry->end);
  Common common{.program = {.section_address = address_}, .end = entry->end};
  const auto version = cursor.take<uint8_t>();
  if (version != 1 && version != 3 && version != 4) return std::nullopt;
  const std::string_view augmentation = cursor.take_text();
  if (version == 4) {
    const auto address_size = cursor.take<uint8_t>();
    const auto segment_size = cursor.take<uint8_t>();
    if (address_size != 8 || segment_size != 0) return std::nullopt;
  }
  common.program.code_alignment = cursor.take_uleb();
  common.program.data_alignment = cursor.take_sleb();
  const uint64_t column = version == 1 ? cursor.take<uint8_t>() : cursor.take_uleb();
  if (column >= kRegisters) return std::nullopt;
  common.return_register = static_cast<uint8_t>(column);
  if (!read_augmentation(cursor, augmentation, common) || cursor.failed()) return std::nullopt;
  common.instructions = cursor.position();
  return common;
}

bool FrameSection::read_augmentation(Cursor& cursor, std::string_view letters,
                                     Common& common) const {
  if (letters.empty()) return true;
  if (letters.front() != 'z') return false;
  common.has_augmentation = true;
  const uint64_t size = cursor.take_uleb();
  const size_t begin = cursor.position();
  for (const char letter : letters.substr(1)) {
    if (letter == 'S') {
      common.is_signal_frame = true;
    } else if (letter == 'R') {
      common.program.pointer_encoding = cursor.take<uint8_t>();
    } else if (letter == 'L') {
      cursor.take<uint8_t>();
    } else if (letter == 'P') {
      const auto encoding = cursor.take<uint8_t>();
      // Where the personality routine's address lies does not matter, nor what it is.
      if (!take_pointer(cursor, encoding & 0x0f, 0)) return false;
    } else if (letter != 'B' && letter != 'G') {  // AArch64: signed with key B, memory tags
      return false;
    }
  }
  cursor = part(begin, common.end);
  cursor.skip(size);
  return true;
}

void FrameSection::add_function(size_t position, const Entry& entry, const Common& common) {
  if (entry.end - position > kMaxFunction) return;
  Cursor cursor = part(entry.body, entry.end);
  const uint8_t encoding = common.program.pointer_encoding;
  const auto start = take_pointer(cursor, encoding, address_);
  const auto size = take_pointer(cursor, encoding & 0x0f, 0);
  // At 0 is what the linker threw away.
  if (!start || !size || *start == 0 || *size == 0 || *size > UINT32_MAX) return;
  functions_.push_back({*start, static_cast<uint32_t>(*size), static_cast<uint32_t>(position)});
}

std::optional<FrameRules> FrameSection::at(uint64_t address) const {
  const auto after =
      std::upper_bound(functions_.begin(), functions_.end(), address,
                       [](uint64_t a, const Function& function) { return a < function.start; });
  if (after == functions_.begin()) return std::nullopt;
  const Function& function = *std::prev(after);
  if (address - function.start >= function.size) return std::nullopt;
  const auto entry = entry_at(function.entry);
  const auto common = entry ? common_at(entry->id) : std::nullopt;
  if (!common) return std::nullopt;

  Cursor cursor = part(entry->body, entry->end);
  (void)take_pointer(cursor, common->program.pointer_encoding, address_);
  (void)take_pointer(cursor, common->program.pointer_encoding & 0x0f, 0);
  if (common->has_augmentation) cursor.skip(cursor.take_uleb());

  FrameState initial;
  const Cursor initial_program = part(common->instructions, common->end);
  if (!run(common->program, initial_program, 0, UINT64_MAX, {}, initial)) return std::nullopt;
  FrameState state = initial;
  if (!run(common->program, cursor, function.start, address, initial, state)) return std::nullopt;
  if (state.cfa.kind == Rule::Kind::Same) return std::nullopt;

  FrameRules rules{.cfa = state.cfa,
                   .registers = {},
                   .return_register = common->return_register,
                   .into_function = address - function.start,
                   .is_signal_frame = common->is_signal_frame};
  for (size_t target = 0; target < kRegisters; ++target) {
    Rule rule = state.registers[target];
    if (rule.kind == Rule::Kind::Same) continue;
    rule.target = static_cast<uint8_t>(target);
    rules.registers.push_back(rule);
  }
  return rules;
}

CallFrameInfo::CallFrameInfo(const symbols::ElfFile& file) {
  using Flavor = FrameSection::Flavor;
  for (const auto& [name, flavor] :
       {std::pair{".eh_frame", Flavor::EhFrame}, std::pair{".debug_frame", Flavor::DebugFrame}}) {
    auto content = file.section(name, kMaxSection);
    if (content && !content->bytes.empty()) sections_.emplace_back(std::move(*content), flavor);
  }
}

std::optional<FrameRules> CallFrameInfo::at(uint64_t address) const {
  for (const FrameSection& section : sections_) {
    if (auto rules = section.at(address)) return rules;
  }
  return std::nullopt;
}

}  // namespace dbtrace::stacks
