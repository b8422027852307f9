// A report as one page that needs nothing else.
#pragma once

#include <string>

#include "src/report/about.h"
#include "src/report/collector.h"

namespace dbtrace::report {

// Whether this build has one: it is made with a library from npm's registry
// (DBTRACE_HTML_REPORT).
[[nodiscard]] bool has_page();

// `collector`: after its last end_bucket().
void append_page(const About& about, const Collector& collector, std::string& out);

}  // namespace dbtrace::report
