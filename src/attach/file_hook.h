// How operations on files are seen: in the kernel's VFS functions where the kernel
// lets us, else where they come from, the system calls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/attach/trial.h"
#include "symbols/result.h"

namespace dbtrace::attach {

// Auto: the first of these that the kernel allows. Fentry costs least. Tracepoints of system
// calls slow every system call of the machine down a little. Kprobes see no end of an
// operation while some ten threads of the machine are in the same function (kretprobes come
// in that number), reads of pipes and terminals included; the operation is then missed.
enum class FileHook { Auto, Fentry, SystemCalls, Kprobe, None };

// As it is typed: "auto", "fentry", "syscalls", "kprobe", "none".
[[nodiscard]] std::string_view file_hook_name(FileHook hook);

struct FileHookChoice {
  FileHook hook = FileHook::None;
  std::vector<std::string> refused;  // better ones, and why not: "fentry: Operation not permitted"
};

// Exactly `wanted`, or the best, found out by attaching it for a moment. Errors: the
// kernel allows not that one, or none.
[[nodiscard]] Result<FileHookChoice> choose_file_hook(FileHook wanted);
// The best, where all have been tried already.
[[nodiscard]] Result<FileHookChoice> best_file_hook(const Trials& trials);

}  // namespace dbtrace::attach
