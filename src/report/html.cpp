#include "src/report/html.h"

#include <string_view>

#include "src/output/page.h"
#include "src/report/json.h"

namespace dbtrace::embedded {

extern const std::string_view report_html;  // the files of page/, with {{name}} where values go
extern const std::string_view report_css;
extern const std::string_view report_js;

}  // namespace dbtrace::embedded

namespace dbtrace::report {

bool has_page() { return true; }

void append_page(const About& about, const Collector& collector, std::string& out) {
  const PageData data = page_data(about, collector);
  const std::string report = output::json_for_page(data.report);
  const std::string stacks = output::json_for_page(data.stacks);
  const std::string style_hash = output::policy_hash(embedded::report_css);
  const std::string script_hash = output::policy_hash(embedded::report_js);
  const output::PageValue values[] = {{"report", report},
                                      {"stacks", stacks},
                                      {"style", embedded::report_css},
                                      {"style-hash", style_hash},
                                      {"script", embedded::report_js},
                                      {"script-hash", script_hash}};
  output::append_page(embedded::report_html, values, out);
}

}  // namespace dbtrace::report
