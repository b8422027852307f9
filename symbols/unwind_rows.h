// Where instructions begin by the unwinding tables (.eh_frame), which stripped binaries have, too.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "symbols/elf_file.h"
#include "symbols/result.h"

namespace dbtrace::symbols {

// Not thread-safe. Outlives the file it was opened from.
class UnwindRows {
 public:
  [[nodiscard]] static Result<UnwindRows> open(const ElfFile& file);
  UnwindRows(UnwindRows&&) noexcept;
  UnwindRows& operator=(UnwindRows&&) noexcept;
  ~UnwindRows();

  // The link-time address where the row of rules begins that holds at `address`: an instruction
  // begins there, and from there to `address` there is nothing but instructions of the same
  // function. nullopt: the tables know no code there.
  [[nodiscard]] std::optional<uint64_t> begin(uint64_t address) const;

 private:
  struct Impl;
  explicit UnwindRows(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dbtrace::symbols
