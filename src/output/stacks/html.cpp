// One page that needs nothing else and asks nobody for anything: flame graphs to search and to
// zoom, for every profile. The page is in page/; its data is written by page_data.
#include "src/output/page.h"
#include "src/output/stacks/collected.h"
#include "src/output/stacks/formats.h"
#include "src/output/stacks/page.h"
#include "src/output/stacks/page_data.h"

namespace dbtrace::output {
namespace {

class HtmlSink final : public CollectingSink {
 public:
  using CollectingSink::CollectingSink;

  void finish(std::string& out) override {
    std::string json;
    append_page_data(profiles(), json);
    const std::string data = json_for_page(json);
    const std::string style_hash = policy_hash(embedded::page_css);
    const std::string script_hash = policy_hash(embedded::page_js);
    const PageValue values[] = {{"data", data},
                                {"style", embedded::page_css},
                                {"style-hash", style_hash},
                                {"script", embedded::page_js},
                                {"script-hash", script_hash}};
    append_page(embedded::page_html, values, out);
  }
};

}  // namespace

std::unique_ptr<StackSink> make_html_sink(stacks::FrameTable& frames) {
  return std::make_unique<HtmlSink>(frames);
}

}  // namespace dbtrace::output
