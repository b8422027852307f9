#include "src/commands/top/bar.h"

#include "src/output/budget_text.h"

namespace dbtrace::commands::top {

void draw_bar(const model::Sums& sums, size_t cells, Paper& paper) {
  model::Budget budget;
  budget.by_cause_ns = sums.by_cause_ns;
  budget.unexplained_ns = sums.unexplained_ns;
  draw_bar(budget, cells, paper);
}

void draw_bar(const model::Budget& budget, size_t cells, Paper& paper) {
  output::TextLine& line = paper.line();
  line.separate(paper.text());
  const size_t before = line.room();
  output::append_bar(budget, cells, line, paper.text());
  line.pad(cells - (before - line.room()), paper.text());
}

}  // namespace dbtrace::commands::top
