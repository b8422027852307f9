// The symbol tables of one binary, wherever they lie, in the order in which
// their word counts: .dynsym, .symtab, .gnu_debugdata, the debug file's .symtab.
// For the files of this room only.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "symbols/debug_file.h"
#include "symbols/elf_file.h"
#include "symbols/symbol_table.h"

namespace dbtrace::symbols {

struct Table {
  SymbolTable symbols;
  std::string section;  // ".dynsym", ".symtab", ".gnu_debugdata"
  std::string file;
  bool is_dynamic = false;  // .dynsym: names have versions elsewhere
};

// Not thread-safe.
class TableSet {
 public:
  TableSet(ElfFile binary, FinderOptions options);

  [[nodiscard]] const ElfFile& binary() const { return binary_; }
  // The table at `index`, for which the next source is opened when all that are
  // open have fewer; nullptr after the last. The pointer stays valid.
  [[nodiscard]] const Table* at(size_t index);
  // Those that are open.
  [[nodiscard]] const std::deque<Table>& opened() const { return tables_; }

  // The binary and its debug files, as far as they are open.
  [[nodiscard]] std::vector<const ElfFile*> files() const;

  // Asks debuginfod servers, once, if the options allow it for a pattern that
  // nothing matched so far and no debug file was found here. True: it brought a table.
  [[nodiscard]] bool ask_servers();

  [[nodiscard]] const std::vector<DebugFileAttempt>& attempts() const { return attempts_; }
  // "no .symtab", ".symtab is damaged": what the binary itself lacks.
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }

 private:
  enum class Source { DebugData, DebugFile, Servers, None };

  void add_own(uint32_t section_type);
  void open_next();
  void add_debug_data();
  void add_debug_file();
  void add_from_servers();

  ElfFile binary_;
  FinderOptions options_;
  std::deque<Table> tables_;
  std::deque<ElfFile> files_;  // what the tables lie in
  Source next_ = Source::DebugData;
  bool has_debug_file_ = false;
  bool asked_servers_ = false;
  std::vector<std::string> missing_;
  std::vector<DebugFileAttempt> attempts_;
};

}  // namespace dbtrace::symbols
