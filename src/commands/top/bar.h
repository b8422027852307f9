// The budget of many queries as a bar of letters in their colours (docs/budget.md).
#pragma once

#include "src/commands/top/paper.h"
#include "src/model/sums.h"

namespace dbtrace::commands::top {

// A cell of so many columns.
void draw_bar(const model::Sums& sums, size_t cells, Paper& paper);
void draw_bar(const model::Budget& budget, size_t cells, Paper& paper);

}  // namespace dbtrace::commands::top
