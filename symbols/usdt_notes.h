// The static probes (USDT, SystemTap's <sys/sdt.h>) that a binary offers, from its
// .note.stapsdt. Layout: systemtap's wiki, "UserSpaceProbeImplementation": a note
// of name "stapsdt" and type 3 for each place, with three addresses (the place,
// .stapsdt.base, the semaphore) and three strings (provider, name, arguments).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "symbols/elf_file.h"
#include "symbols/result.h"

namespace dbtrace::symbols {

// One place of one probe: a probe that the compiler inlined has several.
struct UsdtProbe {
  std::string provider;    // "postgresql"
  std::string name;        // "query__start": dtrace(1) shows `__` as `-`
  std::string arguments;   // "8@%rdi -4@-20(%rbp)": SIZE@OPERAND in the assembler's
                           // notation, SIZE < 0 when signed; may be ""
  uint64_t location = 0;   // the link-time address of the probe's nop
  uint64_t base = 0;       // of .stapsdt.base when the note was written; 0: there was none
  uint64_t semaphore = 0;  // the link-time address of a uint16_t that counts who listens;
                           // 0: none, the probe is always on

  // In the file: where a uprobe goes, and what perf's ref_ctr_offset takes. Absent
  // where the file holds no such byte.
  std::optional<uint64_t> offset = std::nullopt;
  std::optional<uint64_t> semaphore_offset = std::nullopt;
};

// All probes of `file`, in its order. Addresses are corrected for a file that was
// moved after it was linked (prelink): .stapsdt.base tells by how much. Notes that
// are damaged end the reading of their section, what stands before is kept. A
// file without probes is not an error. At most 65,536 are read.
[[nodiscard]] std::vector<UsdtProbe> read_usdt_probes(const ElfFile& file);

// The notes in the bytes of one section, as they stand there: addresses are not
// corrected, offsets absent.
[[nodiscard]] std::vector<UsdtProbe> parse_usdt_notes(std::span<const uint8_t> notes);

}  // namespace dbtrace::symbols
