#include "symbols/unwind_rows.h"

#include <gtest/gtest.h>

#include "tests/unit/symbols/fixture.h"

namespace dbtrace::symbols {
namespace {

using test::fixture;
using test::open_file;
using test::open_finder;

TEST(UnwindRows, BeginWhereFunctionsBegin) {
  for (const char* name : {"pie", "exec"}) {
    Finder finder = open_finder(fixture(name));
    const auto rows = UnwindRows::open(finder.binary());
    ASSERT_TRUE(rows) << rows.error().message;
    for (const char* function : {"main", "dispatch_command"})
      for (const Function& found : finder.functions(function)) {
        EXPECT_EQ(rows->begin(found.address), found.address) << function;
        const auto last = rows->begin(found.address + found.size - 1);
        ASSERT_TRUE(last) << function;
        EXPECT_GE(*last, found.address) << function;
      }
  }
}

TEST(UnwindRows, OfAStrippedFile) {
  Finder whole = open_finder(fixture("whole"));
  const auto rows = UnwindRows::open(open_file(fixture("stripped")));
  ASSERT_TRUE(rows) << rows.error().message;
  const auto functions = whole.functions("main");
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(rows->begin(functions.front().address), functions.front().address);
}

TEST(UnwindRows, KnowNothingOutsideOfCode) {
  const auto rows = UnwindRows::open(open_file(fixture("pie")));
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_FALSE(rows->begin(0));
  EXPECT_FALSE(rows->begin(UINT64_MAX));
}

}  // namespace
}  // namespace dbtrace::symbols
