// From a name a person types to functions in a binary, wherever their symbol
// lives: .dynsym, .symtab, or a separate debug file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/demangle.h"
#include "symbols/elf_file.h"
#include "symbols/location.h"
#include "symbols/pattern.h"
#include "symbols/result.h"

namespace dbtrace::symbols {

// One function found. Address is the link-time virtual address; `offset` is
// the offset in the *binary's* file (never the debug file's), fit for a uprobe.
struct Function {
  std::string raw;  // mangled, without version
  FunctionName name;
  uint64_t address = 0;
  uint64_t offset = 0;
  uint64_t size = 0;  // 0 when the table does not say
  std::string table;  // ".dynsym" or ".symtab"
  std::string file;   // the file whose table it stands in
};

// A place that was looked at for debug symbols and what came of it.
struct DebugFileAttempt {
  std::string path;
  std::string outcome;  // "used", "not there", "build-id differs: …", …
  bool used = false;
};

// Whether debuginfod servers are asked for symbols that no local file has.
enum class Debuginfod {
  Never,
  IfNothingMatches,  // only for a pattern that the local tables do not satisfy
  Always,
};

struct FinderOptions {
  // The root directory of the target, e.g. "/proc/123/root": debug files are
  // looked up beneath it first, and its links cannot lead out of it. Empty:
  // the host's own root only.
  std::string target_root;
  // Where the binary lies *inside* that root (for .gnu_debuglink), e.g.
  // "/usr/sbin/mysqld"; empty: where the kernel says the open file lies.
  std::string path_in_root;
  // Where packages put debug files, in the target's root and the host's.
  std::vector<std::string> debug_folders = {"/usr/lib/debug"};
  // The user's own: a file that is taken before all others, and folders on the
  // host that are searched before all others.
  std::string debug_file;
  std::vector<std::string> user_debug_folders;
  Debuginfod debuginfod = Debuginfod::Never;
};

// The symbols of one binary and, read only when a name is not found in the
// binary itself, of its debug file. Not thread-safe; cheap to move.
class Finder {
 public:
  [[nodiscard]] static Result<Finder> open(ElfFile binary, FinderOptions options = {});
  Finder(Finder&&) noexcept;
  Finder& operator=(Finder&&) noexcept;
  ~Finder();

  [[nodiscard]] const ElfFile& binary() const;

  // All functions called `name`: a plain ("dispatch_command") or qualified
  // name ("THD::set_db"), matched exactly on scope and base: "f" finds ::f and
  // extern "C" f, not ns::f. Parameters may vary (overloads). Lambdas and
  // local entities inside f, `.cold`, `.constprop` and other clones are not
  // matches; what link-time optimisation merely renamed (`.lto_priv.0`) is.
  // Prefers .dynsym, then .symtab, then the debug file: the first that has it.
  [[nodiscard]] std::vector<Function> functions(std::string_view name);

  // Everything that `pattern` means, from all tables merged: the binary's own,
  // .gnu_debugdata and the debug file. One location per distinct address, with
  // all its names. Where .dynsym and another table disagree about a global
  // symbol's address, .dynsym is right. Symbols without a type count only when
  // nothing else matches; `.part.N` and `.cold` only when asked for.
  [[nodiscard]] Matches match(const Pattern& pattern);

  // What debug information, where there is any, says of a function that match()
  // did not find. Reads all of it: seconds for a gigabyte.
  [[nodiscard]] std::optional<Inlined> inlined(const Pattern& pattern);

  // Names of functions that are nearly the name that was typed, the nearest first.
  [[nodiscard]] std::vector<std::string> similar_names(const Pattern& pattern, size_t most);

  // Functions whose base is `name` in any *other* scope, and clones, lambdas
  // and the like, each with the reason: "ns::f(int) [another scope]". For telling
  // the user why they were not taken; reads the debug file, too.
  [[nodiscard]] std::vector<std::string> near_misses(std::string_view name);

  // The link-time address of a data object, from the tables read so far.
  [[nodiscard]] std::optional<uint64_t> data_address(std::string_view raw_name);

  // Where a thread-local variable lies in the block that each thread has of it
  // (ElfFile::thread_local_block), from the tables read so far.
  [[nodiscard]] std::optional<uint64_t> thread_local_place(std::string_view raw_name);

  // True when any symbol defined in the tables read so far starts with `prefix`
  // (raw name). Cheap; does not touch debug files.
  [[nodiscard]] bool has_symbol_with_prefix(std::string_view prefix);

  // Whether a table says what functions are called that nobody else needs to know (static
  // ones): .symtab, .gnu_debugdata, or that of a debug file, which is looked for.
  [[nodiscard]] bool has_all_names();

  // Every table and file looked at so far, for error messages and --explain.
  [[nodiscard]] const std::vector<DebugFileAttempt>& debug_file_attempts() const;
  // e.g. ".dynsym (27,123 functions), no .symtab".
  [[nodiscard]] std::string tables_summary() const;

 private:
  struct Impl;
  explicit Finder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dbtrace::symbols
