// PostgreSQL. What is probed, and on which versions that was checked: README.md beside
// this file.
#pragma once

#include "profiles/profile.h"

namespace dbtrace::profiles::postgres {

[[nodiscard]] Profile postgres();

}  // namespace dbtrace::profiles::postgres
