#include "symbols/similar.h"

#include <gmock/gmock.h>

#include "tests/unit/symbols/fixture.h"

namespace dbtrace::symbols {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(EditDistance, CountsChanges) {
  EXPECT_EQ(edit_distance("", "", 3), 0U);
  EXPECT_EQ(edit_distance("command", "comand", 3), 1U);
  EXPECT_EQ(edit_distance("comand", "command", 3), 1U);
  EXPECT_EQ(edit_distance("command", "commend", 3), 1U);
  EXPECT_EQ(edit_distance("command", "comamnd", 3), 1U);  // a swap
  EXPECT_EQ(edit_distance("kitten", "sitting", 3), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting", 2), 3U);  // more than the limit
  EXPECT_EQ(edit_distance("a", "abcdef", 3), 4U);
}

std::vector<std::string> similar(std::string_view typed, size_t most = 5) {
  return test::open_finder(test::fixture("pie.exported"))
      .similar_names(*Pattern::parse(typed), most);
}

TEST(SimilarNames, AreTheNearestFirst) {
  EXPECT_THAT(similar("dispatch_comand"),
              ElementsAre(test::kDispatch, "xpl::dispatcher::dispatch_command(THD&, int)"));
  EXPECT_THAT(similar("xpl::dispatcher::dispatch_comand"),
              ElementsAre("xpl::dispatcher::dispatch_command(THD&, int)", test::kDispatch));
  EXPECT_THAT(similar("dispatch_comand", 1), ElementsAre(test::kDispatch));
  EXPECT_THAT(similar("Dispatch_Command", 1), ElementsAre(test::kDispatch));
  EXPECT_THAT(similar("c_funktion"), ElementsAre("c_function"));
}

TEST(SimilarNames, AreNotJustAnything) {
  EXPECT_THAT(similar("row_search_for_mysql"), IsEmpty());
  EXPECT_THAT(similar(std::string(5000, 'x')), IsEmpty());
  EXPECT_THAT(similar("*dispatch_comand*"), IsEmpty());
}

}  // namespace
}  // namespace dbtrace::symbols
