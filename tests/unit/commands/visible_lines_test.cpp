#include "src/commands/visible_lines.h"

#include <gtest/gtest.h>

namespace dbtrace::commands {
namespace {

TEST(VisibleLines, KeepsTheLayoutAndNothingElse) {
  struct Case {
    const char* text;
    const char* visible;
  };
  for (const Case& each : std::initializer_list<Case>{
           {"", ""},
           {"one\n  two   three\n", "one\n  two   three\n"},
           {"\n\n", "\n\n"},
           {"a\x1b[31mb", "a\\x1b[31mb"},
           {"a\rb\tc", "a b c"},
           {"\xff\xc2\x9b", "\\xff\\u009b"},
           {"grüße", "grüße"},
       })
    EXPECT_EQ(visible_lines(each.text), each.visible);
}

}  // namespace
}  // namespace dbtrace::commands
