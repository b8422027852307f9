// What PostgreSQL's processes without a client do, by the title that each gives itself.
#pragma once

#include <string>
#include <string_view>

namespace dbtrace::profiles::postgres {

// Profile::process_name: "checkpointer", "io worker 1" for "postgres: io worker 1" and
// "postgres: CLUSTER: io worker 1"; empty for a client's process and any other.
[[nodiscard]] std::string process_name(std::string_view title);

}  // namespace dbtrace::profiles::postgres
