// Files that processes have mapped as code, and the frames of their functions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/stacks/call_frame_info.h"
#include "symbols/elf_file.h"
#include "symbols/file_id.h"
#include "symbols/unique.h"

namespace dbtrace::stacks {

// One file, held open while somebody has it mapped and read when first asked.
class CodeFile {
 public:
  CodeFile(UniqueFd file, std::string name);

  // The rules for the code at an offset of the file; nullptr: it does not say. Valid
  // until the next call.
  [[nodiscard]] const FrameRules* rules_at(uint64_t offset);

 private:
  void open();

  UniqueFd file_;
  std::string name_;
  bool is_opened_ = false;
  std::vector<symbols::Segment> segments_;
  std::optional<CallFrameInfo> frames_;
  std::unordered_map<uint64_t, std::optional<FrameRules>> known_;  // by link-time address
};

// Each file once for all processes.
class CodeFiles {
 public:
  // nullptr: no regular file, or there are too many.
  [[nodiscard]] std::shared_ptr<CodeFile> of_file(UniqueFd file, const std::string& name);
  // An ELF image in memory.
  [[nodiscard]] std::shared_ptr<CodeFile> of_image(const std::string& bytes,
                                                   const std::string& name);

 private:
  std::map<symbols::FileId, std::weak_ptr<CodeFile>> files_;
  std::map<std::string, std::weak_ptr<CodeFile>> images_;  // by their bytes
};

}  // namespace dbtrace::stacks
