// How operations on files are seen: in the kernel's VFS functions where the kernel
// lets us, else where they come from, the system calls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "symbols/result.h"

namespace dbtrace::attach {

// Auto: the best that the kernel allows. Best first: fentry costs least. Tracepoints of system calls slow every system call of
// the machine down a little.
enum class FileHook { Auto, Fentry, Kprobe, SystemCalls, None };

// As it is typed: "auto", "fentry", "kprobe", "syscalls", "none".
[[nodiscard]] std::string_view file_hook_name(FileHook hook);

struct FileHookChoice {
  FileHook hook = FileHook::None;
  std::vector<std::string> refused;  // better ones, and why not: "fentry: Operation not permitted"
};

// Exactly `wanted`, or the best, found out by attaching it for a moment. Errors: the
// kernel allows not that one, or none.
[[nodiscard]] Result<FileHookChoice> choose_file_hook(FileHook wanted);

}  // namespace dbtrace::attach
