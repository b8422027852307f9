#include "src/attach/own_code.h"

#include <link.h>

namespace dbtrace::attach {
namespace {

struct Wanted {
  uint64_t address;
  std::optional<uint64_t> offset;
};

// The first object is the program itself.
int look_at_program(dl_phdr_info* info, size_t, void* context) {
  auto& wanted = *static_cast<Wanted*>(context);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const uint64_t start = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) && wanted.address >= start &&
        wanted.address < start + segment.p_filesz)
      wanted.offset = wanted.address - start + segment.p_offset;
  }
  return 1;
}

}  // namespace

std::optional<uint64_t> own_offset(void (*function)()) {
  Wanted wanted{reinterpret_cast<uint64_t>(function), {}};
  ::dl_iterate_phdr(look_at_program, &wanted);
  return wanted.offset;
}

}  // namespace dbtrace::attach
