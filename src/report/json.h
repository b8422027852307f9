// A report as the data of its page: one JSON object, which page/data.js reads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "src/report/about.h"
#include "src/report/collector.h"

namespace dbtrace::report {

// Whatever the recording holds, the page stays small: of what is beyond these, only the sum.
inline constexpr size_t kPageKinds = 100;
inline constexpr size_t kPageTables = 60;
inline constexpr size_t kPageEvents = 60;
inline constexpr size_t kPageBlocks = 100;
inline constexpr size_t kPageText = 1500;  // bytes of a kind or a query

[[nodiscard]] inline std::string_view cut(std::string_view text) {
  return text.substr(0, kPageText);
}

// `report`: all but stacks; `stacks`: of its slow queries, in the same order, as pages of flame
// graphs have it (output::make_page_data_sink). `collector`: after its last end_bucket().
struct PageData {
  std::string report;
  std::string stacks;
};
[[nodiscard]] PageData page_data(const About& about, const Collector& collector);

}  // namespace dbtrace::report
