// Who kept whom waiting, as JSON. Private to this room.
#pragma once

#include <cstdint>
#include <string>

#include "src/output/json_writer.h"
#include "src/report/collector.h"
#include "src/report/places.h"

namespace dbtrace::report {

// Members of `object`, which is written to `json`: `blocks`, [blocker, blocked, cause] by their
// places in `parties`; and `block_cells`, [bucket, place, count, ns, max_ns].
void append_blocks(const Collector& collector, const Places<uint32_t>& kinds,
                   output::JsonObject& object, std::string& json);

}  // namespace dbtrace::report
