// The heaviest stacks of a query, one line each, below the query's own.
#pragma once

#include <span>
#include <string>

#include "src/model/stack.h"
#include "src/output/text_line.h"

namespace dbtrace::output {

// The innermost function first: what a person looks for, and what a narrow line has room for.
void append_stack_lines(std::span<const model::NamedStack> stacks, TextLine& line,
                        std::string& out);

}  // namespace dbtrace::output
