// Recordings that earlier versions have made, as they were: fixtures/versionN.dbt. They stay,
// whatever becomes of the schema.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/runtime/temporary_folder.h"
#include "tests/unit/recording/queries.h"

namespace dbtrace::recording {
namespace {

// Made with record() of full_query() and query_of("select 1"), with literals.
TEST(OldVersion, OneIsRead) {
  const dbtrace::testing::TemporaryFolder folder;
  const std::string path = folder.path() / "recording";
  std::filesystem::copy_file(RECORDING_FIXTURES "/version1.dbt", path);
  EXPECT_EQ(asked(path, "pragma user_version"), "1\n");
  Reader reader = reader_of(path);
  const auto queries = read_all(reader);
  ASSERT_EQ(queries.size(), 2U);
  EXPECT_EQ(described(queries[0]), described(full_query()));
  EXPECT_EQ(described(queries[1]), described(query_of("select 1")));
}

}  // namespace
}  // namespace dbtrace::recording
