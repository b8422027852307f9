#include "symbols/table_set.h"

#include <elf.h>
#include <fmt/format.h>

#include "symbols/debug_data.h"
#include "symbols/debuginfod.h"

namespace dbtrace::symbols {

TableSet::TableSet(ElfFile binary, FinderOptions options)
    : binary_(std::move(binary)), options_(std::move(options)) {
  add_own(SHT_DYNSYM);
  add_own(SHT_SYMTAB);
}

void TableSet::add_own(uint32_t section_type) {
  auto symbols = SymbolTable::read(binary_, section_type);
  if (symbols) {
    tables_.push_back({std::move(*symbols), std::string(SymbolTable::section_name(section_type)),
                       binary_.name(), section_type == SHT_DYNSYM});
  } else {
    missing_.push_back(symbols.error().message);
  }
}

const Table* TableSet::at(size_t index) {
  while (index >= tables_.size() && next_ != Source::None) open_next();
  return index < tables_.size() ? &tables_[index] : nullptr;
}

void TableSet::open_next() {
  switch (next_) {
    case Source::DebugData:
      next_ = Source::DebugFile;
      return add_debug_data();
    case Source::DebugFile:
      next_ = Source::Servers;
      return add_debug_file();
    case Source::Servers:
      next_ = Source::None;
      if (options_.debuginfod == Debuginfod::Always) add_from_servers();
      return;
    case Source::None:
      return;
  }
}

std::vector<const ElfFile*> TableSet::files() const {
  std::vector<const ElfFile*> result = {&binary_};
  for (const ElfFile& file : files_) result.push_back(&file);
  return result;
}

bool TableSet::ask_servers() {
  const size_t before = tables_.size();
  if (options_.debuginfod != Debuginfod::Never) add_from_servers();
  return tables_.size() > before;
}

void TableSet::add_debug_data() {
  if (!has_debug_data(binary_)) return;
  DebugFileAttempt attempt{
      .path = fmt::format(".gnu_debugdata of {}", binary_.name()), .outcome = "used", .used = true};
  auto file = open_debug_data(binary_);
  auto symbols = file ? SymbolTable::read(*file, SHT_SYMTAB) : tl::unexpected(file.error());
  if (symbols) {
    files_.push_back(std::move(*file));
    tables_.push_back({std::move(*symbols), ".gnu_debugdata", binary_.name()});
  } else {
    attempt.outcome = symbols.error().message;
    attempt.used = false;
  }
  attempts_.push_back(std::move(attempt));
}

void TableSet::add_debug_file() {
  auto found = find_debug_file(binary_, options_, attempts_);
  if (!found) return;
  has_debug_file_ = true;
  tables_.push_back({std::move(found->symbols), ".symtab", found->file.name()});
  files_.push_back(std::move(found->file));
}

void TableSet::add_from_servers() {
  if (asked_servers_ || has_debug_file_) return;
  asked_servers_ = true;
  const std::string servers = debuginfod_servers();
  DebugFileAttempt attempt{
      .path = fmt::format("debuginfod {}", servers.empty() ? "servers" : servers),
      .outcome = "used",
      .used = true};
  auto symbols = fetch_symbol_table(binary_.build_id());
  if (symbols) {
    tables_.push_back({std::move(*symbols), ".symtab", attempt.path});
  } else {
    attempt.outcome = symbols.error().message;
    attempt.used = false;
  }
  attempts_.push_back(std::move(attempt));
}

}  // namespace dbtrace::symbols
