#include "src/output/counted.h"

#include <gtest/gtest.h>

namespace dbtrace::output {
namespace {

TEST(Counted, OneIsNotMany) {
  EXPECT_EQ(counted(0, "query", "queries"), "0 queries");
  EXPECT_EQ(counted(1, "query", "queries"), "1 query");
  EXPECT_EQ(counted(2, "query", "queries"), "2 queries");
  EXPECT_EQ(counted(1, "kind"), "1 kind");
  EXPECT_EQ(counted(11, "kind"), "11 kinds");
}

}  // namespace
}  // namespace dbtrace::output
