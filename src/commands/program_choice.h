// Which program a command works on: any, not only database servers.
#pragma once

#include <cstdint>
#include <string>

#include "src/target/process.h"
#include "symbols/finder.h"
#include "symbols/result.h"

namespace dbtrace::commands {

struct Program {
  uint32_t pid = 0;         // 0: a file, whoever runs it
  std::string name;         // what answers call the file
  std::string attach_path;  // opens the very file: "/proc/PID/exe" or the path
  std::string root;         // "/proc/PID/root"; "" for a file
};

// `typed` is a process id, a path (anything with a "/"), or the name of a running
// program: of its file, or of how it was called. Several processes of one file
// are one program. Errors: none such, or several different ones (the message
// lists them).
[[nodiscard]] Result<Program> choose_program(const std::string& typed,
                                             const target::Proc& proc = target::Proc());

// The program's symbols; `options` get its root.
[[nodiscard]] Result<symbols::Finder> open_symbols(const Program& program,
                                                   symbols::FinderOptions options);

}  // namespace dbtrace::commands
