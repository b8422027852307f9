// What PostgreSQL calls the waits that it shows (manual: "Wait Event Tables").
#pragma once

#include <cstdint>
#include <string_view>

#include "profiles/profile.h"

namespace dbtrace::profiles::postgres {

// Profile::wait_event: wait_event_type and wait_event as pg_stat_activity of that version has
// them, for 14 to 18. Each major version numbers them anew. What an extension or a later version
// has added is told by its number.
[[nodiscard]] WaitEventName wait_event_name(std::string_view version, uint32_t number);

}  // namespace dbtrace::profiles::postgres
