// The library's answers against binutils' on real servers, where there are any.
#include <gmock/gmock.h>

#include "tests/unit/symbols/fixture.h"

namespace dbtrace::symbols {
namespace {

using ::testing::SizeIs;

class RealServer : public ::testing::TestWithParam<const char*> {};

TEST_P(RealServer, AgreesWithNm) {
  const std::string path = GetParam();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not installed";
  Finder finder = test::open_finder(path);
  const auto found = finder.functions("dispatch_command");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].address, test::nm_address("-D", path, found[0].raw));
  EXPECT_EQ(found[0].offset, finder.binary().file_offset(found[0].address));
  EXPECT_GE(found[0].name.parameters.size(), 3U);
}

INSTANTIATE_TEST_SUITE_P(Installed, RealServer, ::testing::Values("/usr/sbin/mariadbd"));

}  // namespace
}  // namespace dbtrace::symbols
