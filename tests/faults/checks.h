// What must hold after every fault.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "tests/faults/database.h"
#include "tests/faults/load.h"
#include "tests/runtime/account.h"
#include "tests/runtime/probe_traces.h"

namespace dbtrace::testing {

// All that was seen is shown, filtered, hidden, lost, or came after the end; and what is said to
// be shown is there.
void expect_account(const Account& account, size_t lines);

// Each line is about a question that was asked, and about each at most one, in a time that is
// possible. How many there are.
size_t expect_marks(const std::vector<nlohmann::json>& lines, size_t asked);

// The server lives, answers, and answers right.
void expect_alive(const Database& database);

// The server's code is that of its file, and the kernel has freed what dbtrace had there. Both
// may take the kernel a moment.
void expect_nothing_left(const ProbeSites& sites, const std::vector<BpfObjects>& objects);

}  // namespace dbtrace::testing
