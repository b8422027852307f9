// The data block of pages with flame graphs. Private to this room.
#pragma once

#include <deque>
#include <string>

#include "src/output/stacks/collected.h"

namespace dbtrace::output {

// One JSON object: the causes and their colours, frames, and profiles (page/profiles.js reads it).
void append_page_data(const std::deque<CollectedProfile>& profiles, std::string& out);

}  // namespace dbtrace::output
