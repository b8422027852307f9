// How probes are attached.
#pragma once

#include <string_view>
#include <vector>

namespace dbtrace::attach {

// Auto tries uprobe_multi (Linux 6.6) first.
enum class Mechanism { Auto, UprobeMulti, PerfEvent };

[[nodiscard]] std::string_view mechanism_name(Mechanism mechanism);

// What to try, in this order.
[[nodiscard]] std::vector<Mechanism> candidates(Mechanism wanted);

}  // namespace dbtrace::attach
