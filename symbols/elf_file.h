// A read-only view of one ELF file, safe on hostile input: every offset and
// size taken from the file is checked against the file before it is used.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/result.h"

namespace dbtrace::symbols {

enum class Machine { X86_64, AArch64, Other };

// One executable PT_LOAD segment: the file bytes [offset, offset+file_size)
// appear at the link-time address `address`.
struct Segment {
  uint64_t address = 0;
  uint64_t offset = 0;
  uint64_t file_size = 0;
};

// Threading: an ElfFile may be read from several threads; it is never changed
// after open().
class ElfFile {
 public:
  // Opens `path`, which may be a magic link such as /proc/PID/exe. `name` is
  // what error messages and answers call the file (a container's path, say);
  // empty means `path`.
  [[nodiscard]] static Result<ElfFile> open(const std::string& path, std::string name = {});

  ElfFile(ElfFile&&) noexcept;
  ElfFile& operator=(ElfFile&&) noexcept;
  ~ElfFile();

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] Machine machine() const;
  // The GNU build-id in lower-case hex; empty when the file has none.
  [[nodiscard]] const std::string& build_id() const;
  // The file name and CRC32 of .gnu_debuglink, when the file has one.
  struct DebugLink {
    std::string file;
    uint32_t crc = 0;
  };
  [[nodiscard]] std::optional<DebugLink> debug_link() const;
  // (st_dev, st_ino) of the open file, its identity for "is this the same file".
  [[nodiscard]] std::pair<uint64_t, uint64_t> inode() const;

  [[nodiscard]] std::span<const Segment> executable_segments() const;
  // Link-time address → file offset, from the executable segments only (and
  // p_filesz, not p_memsz): what a uprobe wants. nullopt outside them.
  [[nodiscard]] std::optional<uint64_t> file_offset(uint64_t address) const;
  // Up to `max` bytes of code at a link-time address; shorter at the end of
  // the segment, empty outside. Valid as long as the ElfFile lives.
  [[nodiscard]] std::span<const uint8_t> code(uint64_t address, size_t max) const;

 private:
  friend class SymbolReader;
  struct Impl;
  explicit ElfFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dbtrace::symbols
