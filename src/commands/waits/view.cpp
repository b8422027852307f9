#include "src/commands/waits/view.h"

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace dbtrace::commands {

WaitsView::WaitsView(const WaitsOptions& options, output::Writer& writer)
    : writer_(writer),
      report_(
          options.format == WaitsFormat::Json
              ? waits_json()
              : waits_text(options.histograms, writer.is_terminal() && !std::getenv("NO_COLOR"))) {
  resized();
}

void WaitsView::show(model::Spending spent, bool total) {
  std::string out;
  report_->add({{std::move(spent)}, total}, out);
  std::string_view rest = out;
  if (!has_ended()) status_ = writer_.write(rest);
}

}  // namespace dbtrace::commands
