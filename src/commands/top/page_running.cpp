// What runs at this moment.
#include "src/commands/top/pages.h"
#include "src/output/sink.h"

namespace dbtrace::commands::top {

void draw_running(const TopState& state, bool several_servers, Paper& paper) {
  const auto sink = output::make_sink({.format = output::Format::Text,
                                       .width = paper.width(),
                                       .color = paper.color(),
                                       .mark_running = false,
                                       .show_server = several_servers});
  const auto keep = [&](std::string& line) {
    line.pop_back();  // its newline
    paper.lines().push_back(std::move(line));
  };
  std::string line;
  sink->begin(line);
  keep(line);
  for (const model::Query& query : state.running()) {
    line.clear();
    sink->write(query, line);
    keep(line);
  }
}

}  // namespace dbtrace::commands::top
