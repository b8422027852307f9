// The code that a process runs.
#pragma once

#include <cstdint>
#include <optional>

#include "src/stacks/code_file.h"
#include "symbols/code_map.h"
#include "symbols/patience.h"

namespace dbtrace::stacks {

class ProcessCode {
 public:
  ProcessCode(uint32_t pid, CodeFiles& files);

  // Notes what the process has mapped now. Returns whether it could.
  bool read();

  struct Place {
    bool is_code = false;               // some code is mapped there
    bool is_return_probe = false;       // it is the kernel's, for probes
    const FrameRules* rules = nullptr;  // valid until the next call
  };
  // What is at an address. If nothing is, this looks again whether something has been
  // mapped since, yet for no more than a hundredth of the time.
  [[nodiscard]] Place at(uint64_t address);

 private:
  [[nodiscard]] std::shared_ptr<CodeFile> file_of(const symbols::Mapping& mapping);

  uint32_t pid_;
  CodeFiles* files_;
  std::optional<uint64_t> started_;
  symbols::CodeMap<CodeFile> code_;
  symbols::Patience patience_;
};

}  // namespace dbtrace::stacks
