// The pages of the view, drawn line by line.
#pragma once

#include "src/commands/top/controls.h"
#include "src/commands/top/paper.h"
#include "src/commands/top/top_state.h"

namespace dbtrace::commands::top {

// Headings, and the rows from `first` on, at most `most`.
void draw_kinds(const TopState& state, const Controls& controls, size_t first, size_t most,
                Paper& paper);
// One of them: how long it takes, why, and examples.
void draw_kind(const TopState& state, uint32_t kind, Over over, Paper& paper);
void draw_running(const TopState& state, bool several_servers, Paper& paper);
void draw_waits(const TopState& state, Over over, Paper& paper);
void draw_io(const TopState& state, Over over, Paper& paper);
// A table with its headings; for other pages.
void draw_tables(const model::TableIo& tables, Paper& paper);
void draw_help(Paper& paper);

}  // namespace dbtrace::commands::top
