// The parts of a plan besides the dispatch function: what a profile can have probed on top
// of it. Only for files of the plan's library.
#pragma once

#include <vector>

#include "src/attach/plan.h"
#include "src/code/placement.h"
#include "symbols/elf_file.h"
#include "symbols/finder.h"
#include "symbols/result.h"

namespace dbtrace::attach {

// One name may stand for several addresses only when they are overloads; one
// address may carry several names.
void drop_repeated_addresses(std::vector<symbols::Function>& functions);

// A point at the function's entry, or why there can be none.
[[nodiscard]] Result<ProbePoint> place_point(const symbols::ElfFile& binary, code::Arch arch,
                                             const symbols::Function& function,
                                             ProbePoint::Program program);

// Where executions of prepared statements begin. What is missing becomes a note.
void add_execution_hooks(symbols::Finder& finder, const profiles::Profile& profile, Plan& plan);

// Where statements begin and end. Errors: they cannot be told.
[[nodiscard]] Result<void> add_statement_hooks(symbols::Finder& finder, Plan& plan);

// Where the server says what it waits for: both hooks or none, and then a note.
void add_wait_hooks(symbols::Finder& finder, Plan& plan);

// For servers that forget the rows examined before they return; without `rows_examined`
// only says so. Returns whether the text of prepared statements can be had there, too.
bool add_completion_hooks(symbols::Finder& finder, const symbols::Function& dispatch,
                          bool rows_examined, Plan& plan);

// What the kinds of Profile::wait_events mean.
void set_wait_causes(Plan& plan);

}  // namespace dbtrace::attach
