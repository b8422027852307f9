// What `dbtrace histogram --save` has saved, read again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/kinds/compare.h"
#include "symbols/result.h"

namespace dbtrace::commands {

struct SavedRun {
  std::string by;           // as --by takes it
  std::string fingerprint;  // as --fingerprint takes it
  uint64_t length_ns = 0;
  uint64_t count = 0;
  uint64_t lost = 0;
  // Some kinds are not there: --top or --max-kinds left them out. Then a kind that is
  // missing may have been there all the same.
  bool incomplete = false;

  struct Kind {
    std::string id;
    std::string text;
    kinds::Measured measured;
  };
  std::vector<Kind> kinds;
};

// `name` is for messages. Of several lines (`--format json --interval …`) the last counts,
// which is about the whole run. Whatever the bytes are, memory is bounded by their number.
[[nodiscard]] Result<SavedRun> parse_run(std::string_view bytes, const std::string& name);
[[nodiscard]] Result<SavedRun> read_run(const std::string& path);

}  // namespace dbtrace::commands
