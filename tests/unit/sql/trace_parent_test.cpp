// A trace is told by a comment that is exactly as it should be, and by nothing else.
#include "src/sql/trace_parent.h"

#include <gtest/gtest.h>

#include <string>

namespace dbtrace::sql {
namespace {

const std::string kValue = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const std::string kPair = "traceparent='" + kValue + "'";

TraceParent expected() {
  return {.trace = {0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e,
                    0x0e, 0x47, 0x36},
          .span = {0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7},
          .flags = 1};
}

TEST(TraceParent, IsInACommentAtEitherEnd) {
  for (const std::string& text :
       {"select 1 /*" + kPair + "*/", "/*" + kPair + "*/ select 1",
        " \n/* " + kPair + " */select 1", "select 1/* " + kPair + "\t*/ ; \n",
        "select 1 /*action='%2Fa*b',db_driver='x\\'y'," + kPair + ",tracestate='c%3D1'*/",
        "select 1 /*a='b' , " + kPair + "*/", "/* hint */ select 1 /*" + kPair + "*/",
        "/*" + kPair + "*/ select 1 /* the end */", "select 1 -- x\n/*" + kPair + "*/",
        "/*" + kPair + "*/"})
    EXPECT_EQ(trace_parent_of(text), expected()) << text;
}

TEST(TraceParent, MayBeUrlEncoded) {
  std::string encoded = kValue;
  for (size_t at = 0; (at = encoded.find('-')) != std::string::npos;)
    encoded.replace(at, 1, at % 2 ? "%2D" : "%2d");
  EXPECT_EQ(trace_parent_of("select 1 /*traceparent='" + encoded + "'*/"), expected());
  EXPECT_EQ(trace_parent_of("select 1 /*traceparent='%30" + kValue.substr(1) + "'*/"), expected());
}

TEST(TraceParent, TellsTheFlags) {
  const auto parent =
      trace_parent_of("select 1 /*traceparent='" + kValue.substr(0, kValue.size() - 2) + "a0'*/");
  ASSERT_TRUE(parent);
  EXPECT_EQ(parent->flags, 0xa0);
}

TEST(TraceParent, IsExactlySo) {
  const auto value = [](const std::string& text) {
    return trace_parent_of("select 1 /*traceparent='" + text + "'*/");
  };
  ASSERT_TRUE(value(kValue));
  for (size_t at = 0; at < kValue.size(); ++at) {
    for (const char* wrong : {"", "g", "A", " ", "-0", "%", "%4", "%zz", "%00", "\\", "\xff"}) {
      std::string text = kValue;
      text.replace(at, 1, wrong);
      EXPECT_FALSE(value(text)) << text;
    }
  }
  for (const std::string& text :
       {std::string(), kValue + "-00", kValue + " ", " " + kValue, "01" + kValue.substr(2),
        "ff" + kValue.substr(2),
        std::string("00-00000000000000000000000000000000-00f067aa0ba902b7-01"),
        std::string("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01")})
    EXPECT_FALSE(value(text)) << text;
}

TEST(TraceParent, IsNowhereElse) {
  for (const std::string& text : {std::string(),
                                  std::string("select 1"),
                                  std::string("/*"),
                                  std::string("*/"),
                                  std::string("/*/"),
                                  std::string("select 1 /**/"),
                                  kPair,
                                  "select '/*" + kPair + "*/'",
                                  "select 1 /*" + kPair,
                                  "select 1 " + kPair + "*/",
                                  "select /*" + kPair + "*/ 1",
                                  "select 1 /*" + kPair + "," + kPair + "*/",
                                  "select 1 /*" + kPair + "x*/",
                                  "select 1 /*" + kPair + ",*/",
                                  "select 1 /*x" + kPair + "*/",
                                  "select 1 /*x " + kPair + "*/",
                                  "select 1 /*," + kPair + "*/",
                                  "select 1 /*TRACEPARENT='" + kValue + "'*/",
                                  "select 1 /*traceparent=" + kValue + "*/",
                                  "select 1 /*traceparent=\"" + kValue + "\"*/",
                                  "select 1 /*traceparent='" + kValue + "*/",
                                  "select 1 /*traceparent='" + kValue + "\\'*/",
                                  "select 1 /*x='" + kPair + "'*/",
                                  "select 1 --" + kPair,
                                  "select 1 /*a='*/ b /*" + kPair + "*/ c"})
    EXPECT_FALSE(trace_parent_of(text)) << text;
}

TEST(TraceParent, IsSoughtInLinearTime) {
  for (const char* part : {"/*", "*/", "a='", "'", "\\", "%", "/*traceparent='", ",a='b'"}) {
    std::string text;
    while (text.size() < 4'000'000) text += part;
    EXPECT_FALSE(trace_parent_of("/*" + text + "*/"));
    EXPECT_FALSE(trace_parent_of(text));
  }
}

}  // namespace
}  // namespace dbtrace::sql
