// From an address, in a process or in the kernel, to the function it lies in.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/result.h"

namespace dbtrace::symbols {

// What is at an address. The texts live in the Symbolizer, until its next call
// that is not const: copy what is to be kept.
struct Symbolized {
  enum class Kind : uint8_t {
    Nowhere,      // no code is mapped there, or the process is gone and was never seen
    Module,       // in a module, but in no function that any table knows
    Function,     // in a function
    ReturnProbe,  // the kernel's trampoline: the real return address is elsewhere
  };
  Kind kind = Kind::Nowhere;

  // Only for Function. "THD::set_db": demangled, with its scope, without
  // parameters and without a clone suffix, so that `f.cold` is called f, too.
  std::string_view function = {};
  std::string_view raw = {};     // as in the symbol table: "_ZN3THD6set_dbEi"
  uint64_t function_offset = 0;  // from where `raw` begins

  // The path of the mapped file as the kernel says (it may be deleted, or lie in
  // another mount namespace), "[vdso]", "[anon]", "/tmp/perf-7.map" for what a
  // just-in-time compiler wrote there, "[kernel]", or "[nf_tables]".
  std::string_view module = {};
  // The link-time address: what addr2line, objdump and glibc's backtraces mean
  // by an offset in a file. Where the module is no ELF file that can be read,
  // the offset in that file or mapping; in the kernel the address itself.
  uint64_t module_offset = 0;
};

// One of the functions that an address belongs to.
struct SourceFrame {
  std::string function;  // in the form of Symbolized::function
  // "row0sel.cc:4711": the line that it is at, or from which it calls what was inlined
  // into it; "" where nothing says.
  std::string line;
  friend bool operator==(const SourceFrame&, const SourceFrame&) = default;
};

struct SymbolizerOptions {
  // Where packages put debug files, in the target's root and the host's. None:
  // debug files are not looked for.
  std::vector<std::string> debug_folders = {"/usr/lib/debug"};
  // What all tables of functions together may take, about. The ones not used
  // for longest are dropped first, and read again when needed.
  size_t memory_limit = 512U << 20;
};

// Knows any number of processes. What it reads of a file serves all processes
// that map it: files are told apart by device, inode, size and time of
// modification, so that a replaced library is another library, and never by path.
//
// Cost: the first address in a file reads its tables (mysqld, 80,000 functions:
// 0.1 s; a debug file some times that), every other a tenth of a microsecond.
// Memory: 50 bytes and the name for each function of the files that were needed.
// Descriptors: one for each file (at most 512) and root of the processes observed.
// Threading: one thread at a time.
class Symbolizer {
 public:
  explicit Symbolizer(SymbolizerOptions options = {});
  Symbolizer(Symbolizer&&) noexcept;
  Symbolizer& operator=(Symbolizer&&) noexcept;
  ~Symbolizer();

  // Notes what the process has mapped and opens those files, so that its
  // addresses can be named after it has ended, and after the files were deleted.
  // Costs about a millisecond. Call it when a process is first seen, and again
  // after an exec, when code may have been unmapped, or when a pid may belong to
  // another process: nothing else notices that.
  // Errors: no such process, not allowed.
  Result<void> observe(uint32_t pid);
  // Forgets what is known of the process only; the files' tables stay.
  void forget(uint32_t pid);

  // What is at an address of the process, as it was observed (which happens now
  // if it has not). What was mapped since is noticed: an address that lies
  // nowhere makes this look again, yet for no more than a hundredth of the time.
  [[nodiscard]] Symbolized user(uint32_t pid, uint64_t address);

  // The functions at an address of the process, the innermost first: those that were inlined
  // there, then the one that user() names. Debug information says so, of the file or
  // of its debug file; without it there is one, without a line. Empty where user() finds
  // no function.
  // Cost: reads some megabytes of a file that it has not been asked for, milliseconds
  // for each unit of compilation, a microsecond for an address asked for before.
  // Memory: about 100 MB at most for each of three files, which are kept open.
  [[nodiscard]] std::vector<SourceFrame> source(uint32_t pid, uint64_t address);

  // What is at an address of the kernel. Nowhere, too, when the kernel hides
  // its addresses: kernel_error() tells.
  [[nodiscard]] Symbolized kernel(uint64_t address);
  // Why kernel() knows nothing; an empty message when it does, or was not asked.
  [[nodiscard]] const Error& kernel_error() const;

  // Bytes that tables of functions take now, about.
  [[nodiscard]] size_t memory() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dbtrace::symbols
