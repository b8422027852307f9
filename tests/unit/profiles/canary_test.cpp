#include <gtest/gtest.h>

#include "profiles/profile.h"

namespace dbtrace::profiles {
namespace {

TEST(Canary, HasOnePlaceForItsMark) {
  for (const Profile& profile : all()) {
    const Canary& canary = profile.canary;
    ASSERT_NE(canary.protocol, Protocol::Unknown) << profile.title;
    const size_t mark = canary.statement.find("{}");
    ASSERT_NE(mark, std::string_view::npos) << profile.title;
    // Nothing else that fmt would take for a place.
    EXPECT_EQ(canary.statement.find_first_of("{}", mark + 2), std::string_view::npos);
    EXPECT_FALSE(canary.connection_id.empty());
    EXPECT_FALSE(canary.user.empty());
  }
}

}  // namespace
}  // namespace dbtrace::profiles
