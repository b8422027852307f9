// Of a build without DBTRACE_HTML_REPORT.
#include "src/report/html.h"

namespace dbtrace::report {

bool has_page() { return false; }
void append_page(const About&, const Collector&, std::string&) {}

}  // namespace dbtrace::report
