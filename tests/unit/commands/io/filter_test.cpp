#include <gtest/gtest.h>

#include "src/commands/io/io.h"
#include "tests/unit/commands/io/samples.h"

namespace dbtrace::commands {
namespace {

bool accepts(const std::vector<std::string>& tables, const std::string& content) {
  model::IoOperation operation = sample_operation(model::FileOperation::Read, 1);
  operation.file = {"x.ibd", content};
  return IoFilter{.operations = {}, .tables = tables, .files = {}}.accepts(operation);
}

TEST(IoFilter, ATableIsMeantWithOrWithoutItsSchema) {
  EXPECT_TRUE(accepts({"shop.orders"}, "shop.orders"));
  EXPECT_TRUE(accepts({"orders"}, "shop.orders"));
  EXPECT_TRUE(accepts({"ord*"}, "shop.orders"));
  EXPECT_TRUE(accepts({"shop.*"}, "shop.orders"));
  EXPECT_TRUE(accepts({"nothing", "orders"}, "shop.orders"));
  EXPECT_TRUE(accepts({}, "shop.orders"));
  EXPECT_FALSE(accepts({"shop"}, "shop.orders"));
  EXPECT_FALSE(accepts({"orders"}, "shop.orders_old"));
  EXPECT_FALSE(accepts({"other.orders"}, "shop.orders"));
}

TEST(IoFilter, OrWithoutItsDatabase) {
  for (const char* name : {"shop.public.orders", "public.orders", "orders"})
    EXPECT_TRUE(accepts({name}, "shop.public.orders (toast)")) << name;
  EXPECT_FALSE(accepts({"public"}, "shop.public.orders"));
  EXPECT_FALSE(accepts({"x"}, ".y."));
}

TEST(IoFilter, ItsPartitionsAreTheTable) {
  EXPECT_TRUE(accepts({"orders"}, "shop.orders (partition p0)"));
  EXPECT_TRUE(accepts({"shop.orders"}, "shop.orders (partition p0)"));
  EXPECT_TRUE(accepts({"*(partition p0)"}, "shop.orders (partition p0)"));
  EXPECT_FALSE(accepts({"*(partition p1)"}, "shop.orders (partition p0)"));
}

TEST(IoFilter, OtherFilesGoByWhatTheyAre) {
  EXPECT_TRUE(accepts({"redo"}, "redo"));
  EXPECT_FALSE(accepts({"redo"}, "undo"));
  EXPECT_FALSE(accepts({"redo"}, ""));
}

}  // namespace
}  // namespace dbtrace::commands
