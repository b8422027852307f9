// Recordings that earlier versions have made, as they were: fixtures/versionN.dbt. They stay,
// whatever becomes of the schema.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/runtime/temporary_folder.h"
#include "tests/unit/recording/queries.h"

namespace dbtrace::recording {
namespace {

// Made with full_query() and query_of("select 1"), with literals; the second also with an Incident.
class OldVersion : public ::testing::TestWithParam<int> {};

TEST_P(OldVersion, IsRead) {
  const dbtrace::testing::TemporaryFolder folder;
  const std::string path = folder.path() / "recording";
  const std::string version = std::to_string(GetParam());
  std::filesystem::copy_file(RECORDING_FIXTURES "/version" + version + ".dbt", path);
  EXPECT_EQ(asked(path, "pragma user_version"), version + "\n");
  Reader reader = reader_of(path);
  EXPECT_FALSE(reader.want_samples());
  const auto queries = read_all(reader);
  ASSERT_EQ(queries.size(), 2U);
  EXPECT_EQ(described(queries[0]), described(full_query()));
  EXPECT_EQ(described(queries[1]), described(query_of("select 1")));
  const auto incidents = reader.incidents();
  ASSERT_TRUE(incidents);
  EXPECT_EQ(incidents->size(), GetParam() >= 2 ? 1U : 0U);
  const auto second = reader.next_second();
  ASSERT_TRUE(second);
  EXPECT_EQ(*second, nullptr);
}

INSTANTIATE_TEST_SUITE_P(Each, OldVersion, ::testing::Values(1, 2));

}  // namespace
}  // namespace dbtrace::recording
