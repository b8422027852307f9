// What a just-in-time compiler says about its code: /tmp/perf-PID.map, lines of
// "START SIZE name" in hex (Linux, tools/perf/Documentation/jit-interface.txt).
// The file is the target's, so it is read with care and bounded.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "symbols/named_ranges.h"
#include "symbols/result.h"
#include "symbols/unique.h"

namespace dbtrace::symbols {

// Where and whose a process's map is: noted while the process lives, so that it
// can be read after its end.
struct PerfMapPlace {
  uint32_t pid = 0;  // as the process itself knows it, in its own pid namespace
  uid_t owner = 0;   // whom the file must belong to, if not to root

  // "/tmp/perf-7.map", in the root of the process.
  [[nodiscard]] std::string path() const;
};
[[nodiscard]] Result<PerfMapPlace> perf_map_place(uint32_t pid);

// A descriptor of the file beneath `root` (as for open_in_root()). Refused:
// links, all that is not a regular file, files of somebody else.
[[nodiscard]] Result<UniqueFd> open_perf_map(const std::string& root, const PerfMapPlace& place);

// The code ranges in `text`; where two overlap, the later line counts, as the
// compiler has reused the memory. Lines that are none are left out.
[[nodiscard]] Result<NamedRanges> parse_perf_map(std::string_view text);

// At most this much of the file is read.
inline constexpr size_t kMaxPerfMap = 64U << 20;

}  // namespace dbtrace::symbols
