// Recordings that earlier versions have made, as they were: fixtures/versionN.dbt. They stay,
// whatever becomes of the schema.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/runtime/temporary_folder.h"
#include "tests/unit/recording/queries.h"

namespace dbtrace::recording {
namespace {

// Made with record() of full_query() and query_of("select 1"), with literals.
class OldVersion : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Each, OldVersion, ::testing::Values(1, 2),
                         [](const auto& version) { return std::to_string(version.param); });

TEST_P(OldVersion, IsRead) {
  const dbtrace::testing::TemporaryFolder folder;
  const std::string path = folder.path() / "recording", version = std::to_string(GetParam());
  std::filesystem::copy_file(RECORDING_FIXTURES "/version" + version + ".dbt", path);
  EXPECT_EQ(asked(path, "pragma user_version"), version + "\n");
  Reader reader = reader_of(path);
  EXPECT_FALSE(reader.want_samples());
  const auto queries = read_all(reader);
  ASSERT_EQ(queries.size(), 2U);
  EXPECT_EQ(described(queries[0]), described(full_query()));
  EXPECT_EQ(described(queries[1]), described(query_of("select 1")));
}

}  // namespace
}  // namespace dbtrace::recording
