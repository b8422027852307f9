// What can be mapped and has names for its addresses; and the memory that those
// may take. For the files of this room only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "symbols/elf_file.h"
#include "symbols/file_id.h"
#include "symbols/finder.h"
#include "symbols/named_ranges.h"
#include "symbols/perf_map.h"
#include "symbols/result.h"
#include "symbols/source_lines.h"
#include "symbols/unique.h"

namespace dbtrace::symbols {

// The functions of a module, at link-time addresses for an ELF file, at those in
// memory for compiled code.
struct Names {
  std::vector<Segment> segments;  // of an ELF file
  NamedRanges functions;
};

// Names are read when they are first needed, and again after they were dropped.
class Module {
 public:
  virtual ~Module() = default;

 protected:
  [[nodiscard]] virtual Result<Names> read() const = 0;
  [[nodiscard]] virtual Result<SourceLines> read_lines() const;

 private:
  friend class ModuleCache;
  enum class State : uint8_t { Unread, Read, Unreadable };
  State state_ = State::Unread;
  uint64_t last_use_ = 0;
  Names names_;
  State lines_state_ = State::Unread;
  uint64_t last_use_of_lines_ = 0;
  std::optional<SourceLines> lines_;
};

// The root folder of a process, kept open: all that share it share the descriptor.
using Root = std::shared_ptr<const UniqueFd>;

// "/proc/self/fd/7", for those who want a path.
[[nodiscard]] std::string path_of(const UniqueFd& file);

// An ELF file, a file that is none (which has no names), or the image of a vDSO.
// Holds the file open, so that it stays what it is while it is mapped somewhere.
class FileModule : public Module {
 public:
  FileModule(UniqueFd file, std::string name, Root root, std::vector<std::string> debug_folders);

  // Closes the file and the root when no process has it mapped any more, so
  // that nobody is kept from unmounting them; the names stay. hold() undoes that.
  void release();
  void hold(UniqueFd file, Root root);

 protected:
  [[nodiscard]] Result<Names> read() const override;
  [[nodiscard]] Result<SourceLines> read_lines() const override;

 private:
  [[nodiscard]] Result<ElfFile> open() const;
  [[nodiscard]] FinderOptions finder_options() const;

  UniqueFd file_;
  std::string name_;
  Root root_;
  std::vector<std::string> debug_folders_;
};

// What a process's just-in-time compiler says.
class PerfMapModule : public Module {
 public:
  PerfMapModule(Root root, PerfMapPlace place);

 protected:
  [[nodiscard]] Result<Names> read() const override;

 private:
  Root root_;
  PerfMapPlace place_;
};

// All modules that were met, and a limit to the memory of their names.
class ModuleCache {
 public:
  ModuleCache(std::vector<std::string> debug_folders, size_t memory_limit);

  // The module of this file; nullptr when there are too many.
  [[nodiscard]] std::shared_ptr<Module> of_file(UniqueFd file, const std::string& name,
                                                const Root& root);
  // The module of an ELF image in memory.
  [[nodiscard]] std::shared_ptr<Module> of_image(const std::string& bytes, const std::string& name);
  [[nodiscard]] std::shared_ptr<Module> of_perf_map(const Root& root, const PerfMapPlace& place);

  // The names of a module, read if need be; nullptr when it has none. Valid
  // until the next call, which may drop them.
  [[nodiscard]] Names* names(Module& module);
  // The lines of its source, opened if need be; nullptr when nothing tells them. Valid until
  // the next call, which may close them.
  [[nodiscard]] SourceLines* lines(Module& module);
  // Makes the next names() read again.
  void reread(Module& module);

  // Lets go of the files that only this cache holds.
  void release_unused();

  [[nodiscard]] size_t memory() const;

 private:
  void make_room(const Module& wanted);
  void make_room_for_lines();
  [[nodiscard]] bool has_room_for_file();

  std::vector<std::string> debug_folders_;
  size_t memory_limit_;
  uint64_t uses_ = 0;
  std::map<FileId, std::shared_ptr<FileModule>> files_;
  std::map<std::string, std::shared_ptr<FileModule>> images_;  // by their bytes
  std::vector<std::weak_ptr<PerfMapModule>> perf_maps_;
};

}  // namespace dbtrace::symbols
