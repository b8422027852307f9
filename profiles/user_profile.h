// Profiles that a user supplies as a text file, for forks with other names or
// parameter lists. docs/profiles.md describes the format.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "profiles/profile.h"
#include "symbols/result.h"

namespace dbtrace::profiles {

// Those of all() that are part of the program.
[[nodiscard]] std::span<const Profile> built_in();

// Puts a profile before the others. To be called before all() and before any
// thread starts: spans and pointers into all() are void afterwards.
void add(Profile profile);

// The profile that `text` describes. Errors name `file`, the line and the reason.
// What the profile's views point at is never freed: a program reads few of them.
[[nodiscard]] Result<Profile> parse_profile(std::string_view text, const std::string& file);

// Reads a file (at most 64 KB) and adds its profile.
[[nodiscard]] Result<void> add_profile_file(const std::string& file);

}  // namespace dbtrace::profiles
