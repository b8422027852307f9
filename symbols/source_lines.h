// From an address to lines of source, and to the functions that were inlined there, by
// debug information (DWARF). For the files of this room only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "symbols/elf_file.h"
#include "symbols/result.h"
#include "symbols/symbolizer.h"

namespace dbtrace::symbols {

// Of one file. Reads what it needs when it needs it.
// Cost: some milliseconds for the first address in a unit of compilation, under a
// microsecond for one that was asked for before.
// Memory: about 100 MB at most, beside the file itself, and its debug information once more
// where that is compressed.
class SourceLines {
 public:
  // `file` has debug information itself: it may be a debug file.
  [[nodiscard]] static Result<SourceLines> open(const ElfFile& file);
  SourceLines(SourceLines&&) noexcept;
  SourceLines& operator=(SourceLines&&) noexcept;
  ~SourceLines();

  // The functions at a link-time address, the innermost first: those that were inlined,
  // then the one that has the code, each with "" for what nothing says. Empty: nothing says. Valid
  // until the next call.
  [[nodiscard]] const std::vector<SourceFrame>& at(uint64_t address);

 private:
  struct Impl;
  explicit SourceLines(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dbtrace::symbols
