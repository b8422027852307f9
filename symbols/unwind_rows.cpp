#include "symbols/unwind_rows.h"

#include <elfutils/libdw.h>
#include <fmt/format.h>

#include <cstdlib>

#include "symbols/unique.h"

namespace dbtrace::symbols {
namespace {

struct ElfTraits {
  using Handle = Elf*;
  static Handle none() { return nullptr; }
  static void release(Handle elf) { ::elf_end(elf); }
};

struct CfiTraits {
  using Handle = Dwarf_CFI*;
  static Handle none() { return nullptr; }
  static void release(Handle cfi) { ::dwarf_cfi_end(cfi); }
};

struct FrameTraits {
  using Handle = Dwarf_Frame*;
  static Handle none() { return nullptr; }
  static void release(Handle frame) { std::free(frame); }
};

}  // namespace

// In the order in which they need each other.
struct UnwindRows::Impl {
  UniqueFd file;
  Unique<ElfTraits> elf;
  Unique<CfiTraits> cfi;
};

UnwindRows::UnwindRows(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
UnwindRows::UnwindRows(UnwindRows&&) noexcept = default;
UnwindRows& UnwindRows::operator=(UnwindRows&&) noexcept = default;
UnwindRows::~UnwindRows() = default;

Result<UnwindRows> UnwindRows::open(const ElfFile& file) {
  auto impl = std::make_unique<Impl>();
  // A descriptor of its own: libdw may change what it reads.
  impl->file = file.duplicate_fd();
  impl->elf.reset(::elf_begin(impl->file.get(), ELF_C_READ_MMAP, nullptr));
  if (impl->elf) impl->cfi.reset(::dwarf_getcfi_elf(impl->elf.get()));
  if (!impl->cfi) return fail(fmt::format("{} has no unwinding tables (.eh_frame)", file.name()));
  return UnwindRows(std::move(impl));
}

std::optional<uint64_t> UnwindRows::begin(uint64_t address) const {
  Dwarf_Frame* found = nullptr;
  if (::dwarf_cfi_addrframe(impl_->cfi.get(), address, &found) != 0) return std::nullopt;
  const Unique<FrameTraits> frame(found);
  Dwarf_Addr begin = 0;
  if (::dwarf_frame_info(found, &begin, nullptr, nullptr) < 0) return std::nullopt;
  return begin;
}

}  // namespace dbtrace::symbols
