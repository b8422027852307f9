// A read-only view of one ELF file, safe on hostile input: every offset and
// size taken from the file is checked against the file before it is used.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "symbols/result.h"
#include "symbols/unique.h"

namespace dbtrace::symbols {

enum class Machine { X86_64, AArch64, Other };

// One executable PT_LOAD segment: the file bytes [offset, offset+file_size)
// appear at the link-time address `address`. Clipped to what the file holds.
struct Segment {
  uint64_t address = 0;
  uint64_t offset = 0;
  uint64_t file_size = 0;
};

// The link-time address of the byte at `offset` of a file with these segments;
// nullopt when that is no code.
[[nodiscard]] std::optional<uint64_t> link_address(std::span<const Segment> segments,
                                                   uint64_t offset);

// PT_TLS: the block of thread-local variables that each thread has a copy of.
struct ThreadLocalBlock {
  uint64_t address = 0;  // of its initial bytes
  uint64_t size = 0;     // in memory
  uint64_t alignment = 1;
};

// What a section holds, copied: it stays what it is when the file changes.
struct SectionContent {
  uint64_t address = 0;  // at link time; 0 when it is not loaded
  std::vector<uint8_t> bytes;
};

struct ElfImage;  // symbols/elf_image.h

// Only 64-bit files of the host's byte order are read; open() refuses others,
// and everything that is no regular file (without opening it).
//
// The file is mapped, not copied: one that someone truncates while it is open
// raises SIGBUS, as it does for every program that maps it. The kernel forbids
// that for running executables.
//
// Threading: an ElfFile may be read from several threads; it is never changed
// after open().
class ElfFile {
 public:
  // Opens `path`, which may be a magic link such as /proc/PID/exe. `name` is
  // what error messages and answers call the file (a container's path, say);
  // empty means `path`.
  [[nodiscard]] static Result<ElfFile> open(const std::string& path, std::string name = {});
  // The same for a file that was found by other means; `file` may be O_PATH.
  [[nodiscard]] static Result<ElfFile> open(UniqueFd file, std::string name);

  ElfFile(ElfFile&&) noexcept;
  ElfFile& operator=(ElfFile&&) noexcept;
  ~ElfFile();

  [[nodiscard]] const std::string& name() const;
  // The path of the open file as the kernel knows it now, without " (deleted)".
  [[nodiscard]] std::string real_path() const;
  [[nodiscard]] Machine machine() const;
  // The GNU build-id in lower-case hex; empty when the file has none.
  [[nodiscard]] const std::string& build_id() const;
  // The file name, not yet to be trusted, and CRC32 of .gnu_debuglink (layout:
  // GDB manual, "Debugging Information in Separate Files"), when there is one.
  struct DebugLink {
    std::string file;
    uint32_t crc = 0;
  };
  [[nodiscard]] std::optional<DebugLink> debug_link() const;
  // (st_dev, st_ino) of the open file, its identity for "is this the same file".
  [[nodiscard]] std::pair<uint64_t, uint64_t> inode() const;

  // The first section of that name, decompressed if need be; nullopt when there is
  // none, or it is not (all) in the file, or is larger than `most` bytes.
  [[nodiscard]] std::optional<SectionContent> section(std::string_view name, size_t most) const;

  // A descriptor of the same open file that outlives this object; invalid when
  // the process has no descriptors left.
  [[nodiscard]] UniqueFd duplicate_fd() const;
  // The lowest link-time address of all PT_LOAD segments, rounded down to a
  // page: where a process maps the file's first byte, minus the load bias.
  [[nodiscard]] uint64_t first_address() const;

  [[nodiscard]] std::optional<ThreadLocalBlock> thread_local_block() const;

  [[nodiscard]] std::span<const Segment> executable_segments() const;
  // Link-time address → file offset, from the executable segments only (and
  // p_filesz, not p_memsz): what a uprobe wants. nullopt outside them.
  [[nodiscard]] std::optional<uint64_t> file_offset(uint64_t address) const;
  // Up to `max` bytes of code at a link-time address; shorter at the end of
  // the segment, empty outside. Read from the file, not from its mapping: while
  // somebody traces all processes of this file, the kernel writes breakpoints
  // into every mapping of it, ours too (valid_vma(), kernel/events/uprobes.c).
  [[nodiscard]] std::vector<uint8_t> code(uint64_t address, size_t max) const;
  // The characters at a link-time address up to their NUL, at most `max`; empty where the file
  // holds none (zeroed data).
  [[nodiscard]] std::string string_at(uint64_t address, size_t max) const;
  // The first string among its constants (.rodata) that begins with `prefix`; empty: there is none.
  [[nodiscard]] std::string string_with_prefix(std::string_view prefix) const;

 private:
  friend const ElfImage& image_of(const ElfFile& file);
  explicit ElfFile(std::unique_ptr<const ElfImage> image);
  std::unique_ptr<const ElfImage> image_;
};

}  // namespace dbtrace::symbols
