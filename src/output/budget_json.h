// Budgets in JSON: the members `budget`, `io`, `blocker` and `wait_events` of a query's JSON.
#pragma once

#include <string>

#include "src/output/json_writer.h"
#include "src/output/shown.h"

namespace dbtrace::output {

// Appends them to the object, which writes to `out`; null what the query does not have, but
// `wait_events` only where the server says what it waits for.
void append_budget(JsonObject& object, const Shown& shown, std::string& out);

// The member `wait_event`: what a running query waits for.
void append_wait(JsonObject& object, const model::WaitEvent& event, std::string& out);

// The member `budget` alone.
void add_budget(const model::Budget& budget, JsonObject& object, std::string& out);

// Members of an object: times by cause (all kinds of locks as one), `locks` (those kinds that
// there were), and counts of operations on files.
void add_causes(const model::Budget& budget, JsonObject& object);
void add_locks(const model::Budget& budget, JsonObject& object, std::string& out);
void add_operations(const model::IoCounts& operations, JsonObject& object);

}  // namespace dbtrace::output
