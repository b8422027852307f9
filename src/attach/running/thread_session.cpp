#include "src/attach/running/thread_session.h"

#include <fmt/format.h>

#include <bit>

#include "src/code/members.h"

namespace dbtrace::attach {
namespace {

// "ELF Handling For Thread-Local Storage" (Drepper), variant II: the block of the
// executable ends, aligned, where the thread pointer points.
std::optional<int64_t> from_symbol(symbols::Finder& finder, std::string_view name) {
  const auto place = finder.thread_local_place(name);
  const auto block = finder.binary().thread_local_block();
  if (!place || !block || *place >= block->size || !std::has_single_bit(block->alignment))
    return std::nullopt;
  const uint64_t end = block->address + block->size;
  const uint64_t padding = (0 - end) & (block->alignment - 1);
  return static_cast<int64_t>(*place - block->size - padding);
}

std::optional<int64_t> from_code(symbols::Finder& finder, code::Arch arch, std::string_view name) {
  constexpr size_t kCodeBytes = 256;
  for (const symbols::Function& function : finder.functions(name)) {
    const auto code = finder.binary().code(function.address, kCodeBytes);
    if (const auto offset =
            code::returned_thread_local(code::trace_values(arch, code, function.address)))
      return offset;
  }
  return std::nullopt;
}

}  // namespace

ThreadSession find_thread_session(symbols::Finder& finder, code::Arch arch,
                                  const profiles::Profile& profile) {
  ThreadSession session;
  const std::string_view variable = profile.thread_session;
  const std::string_view accessor = profile.thread_session_accessor;
  if (arch != code::Arch::X86_64) {
    session.reason =
        "on this processor the kernel does not tell where threads keep their variables";
    return session;
  }
  session.offset = from_symbol(finder, variable);
  session.origin = variable;
  if (!session.offset) {
    session.offset = from_code(finder, arch, accessor);
    session.origin = accessor;
  }
  if (!session.offset) {
    session.origin.clear();
    session.reason =
        fmt::format("no thread-local {}, and no {} that was understood", variable, accessor);
  }
  return session;
}

}  // namespace dbtrace::attach
