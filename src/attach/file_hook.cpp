#include "src/attach/file_hook.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "src/attach/preflight.h"

namespace dbtrace::attach {
namespace {

// Nothing: there is nothing to try.
std::optional<Trial> trial_of(FileHook hook) {
  switch (hook) {
    case FileHook::Fentry:
      return Trial::Fentry;
    case FileHook::Kprobe:
      return Trial::Kprobe;
    case FileHook::SystemCalls:
      return Trial::SystemCalls;
    case FileHook::Auto:
    case FileHook::None:
      break;
  }
  return std::nullopt;
}

template <typename ErrorOf>
Result<FileHookChoice> choose_best(ErrorOf error_of) {
  FileHookChoice choice;
  for (const FileHook hook : {FileHook::Fentry, FileHook::SystemCalls, FileHook::Kprobe}) {
    const int error = error_of(*trial_of(hook));
    if (error == 0) {
      choice.hook = hook;
      return choice;
    }
    choice.refused.push_back(fmt::format("{}: {}", file_hook_name(hook), std::strerror(error)));
  }
  return fail(fmt::format("the kernel lets nobody see file operations ({})",
                          fmt::join(choice.refused, "; ")),
              "--file-io none does without them");
}

}  // namespace

std::string_view file_hook_name(FileHook hook) {
  switch (hook) {
    case FileHook::Auto:
      return "auto";
    case FileHook::Fentry:
      return "fentry";
    case FileHook::Kprobe:
      return "kprobe";
    case FileHook::SystemCalls:
      return "syscalls";
    case FileHook::None:
      break;
  }
  return "none";
}

Result<FileHookChoice> choose_file_hook(FileHook wanted) {
  if (wanted == FileHook::Auto) return choose_best(try_out);
  const auto trial = trial_of(wanted);
  if (const int error = trial ? try_out(*trial) : 0)
    return tl::unexpected(explain_failure(
        fmt::format("cannot see file operations by {}", file_hook_name(wanted)), error));
  return FileHookChoice{.hook = wanted, .refused = {}};
}

Result<FileHookChoice> best_file_hook(const Trials& trials) {
  return choose_best([&trials](Trial trial) { return trials.error(trial); });
}

}  // namespace dbtrace::attach
