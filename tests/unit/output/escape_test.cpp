#include "src/output/escape.h"

#include <gtest/gtest.h>

namespace dbtrace::output {
namespace {

using std::literals::string_view_literals::operator""sv;

struct Visible {
  std::string text;
  size_t columns;
  bool operator==(const Visible&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Visible& visible) {
  return out << '"' << visible.text << "\" in " << visible.columns;
}

Visible visible(std::string_view text, size_t max_columns = kUnlimited) {
  Visible result;
  result.columns = append_visible(result.text, text, max_columns);
  return result;
}

TEST(AppendVisible, LeavesPlainTextAlone) {
  EXPECT_EQ(visible(""), (Visible{"", 0}));
  EXPECT_EQ(visible("select 'a\\n'"), (Visible{"select 'a\\n'", 12}));
  EXPECT_EQ(visible("caf\xc3\xa9"), (Visible{"café", 4}));
  EXPECT_EQ(visible("中文"), (Visible{"中文", 4}));
  EXPECT_EQ(visible("e\xcc\x81!"), (Visible{"e\xcc\x81!", 2}));
}

TEST(AppendVisible, AppendsBehindWhatIsThere) {
  std::string out = "x: ";
  EXPECT_EQ(append_visible(out, "abcdef", 4), 4U);
  EXPECT_EQ(out, "x: abc…");
}

TEST(AppendVisible, FoldsWhiteSpace) {
  EXPECT_EQ(visible("  select\n\t1,\r\n  2 \v\f from t \n"), (Visible{"select 1, 2 from t", 18}));
  EXPECT_EQ(visible(" \n\t "), (Visible{"", 0}));
  EXPECT_EQ(visible("a \xff b"), (Visible{"a \\xff b", 8}));
}

TEST(AppendVisible, EscapesWhatCouldDriveATerminal) {
  EXPECT_EQ(visible("a\x1b[31mb"), (Visible{"a\\x1b[31mb", 10}));
  EXPECT_EQ(visible("\0\a\b\x7f"sv), (Visible{"\\x00\\x07\\x08\\x7f", 16}));
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m"),
            (Visible{"\\u009b31m", 9}));  // C1 CSI
  EXPECT_EQ(visible("\xe2\x80\xae"
                    "evil"),
            (Visible{"\\u202eevil", 10}));  // right-to-left override
  EXPECT_EQ(visible("a\xe2\x80\x8b"
                    "b"),
            (Visible{"a\\u200bb", 8}));                                  // zero-width space
  EXPECT_EQ(visible("\xf3\xa0\x81\x81"), (Visible{"\\U000e0041", 10}));  // a tag
}

TEST(AppendVisible, EscapesInvalidBytes) {
  EXPECT_EQ(visible("\xff\xfe"), (Visible{"\\xff\\xfe", 8}));
  EXPECT_EQ(visible("caf\xe9 au lait"), (Visible{"caf\\xe9 au lait", 15}));
  EXPECT_EQ(visible("\x9b"
                    "31m"),
            (Visible{"\\x9b31m", 7}));
}

TEST(AppendVisible, CutsAtColumnsWithAnEllipsis) {
  EXPECT_EQ(visible("abcde", 5), (Visible{"abcde", 5}));
  EXPECT_EQ(visible("abcde", 4), (Visible{"abc…", 4}));
  EXPECT_EQ(visible("abcde", 1), (Visible{"…", 1}));
  EXPECT_EQ(visible("abcde", 0), (Visible{"", 0}));
  EXPECT_EQ(visible("", 0), (Visible{"", 0}));
  EXPECT_EQ(visible("ab cd ef", 5), (Visible{"ab c…", 5}));
  EXPECT_EQ(visible("ab    \n", 2), (Visible{"ab", 2}));
}

TEST(AppendVisible, NeverCutsWithinAWideCharacterOrAnEscape) {
  EXPECT_EQ(visible("中文字", 6), (Visible{"中文字", 6}));
  EXPECT_EQ(visible("中文字", 5), (Visible{"中文…", 5}));
  EXPECT_EQ(visible("中文字", 4), (Visible{"中…", 3}));
  EXPECT_EQ(visible("ab\x1b", 6), (Visible{"ab\\x1b", 6}));
  EXPECT_EQ(visible("ab\x1b", 5), (Visible{"ab…", 3}));
  EXPECT_EQ(visible("ab\x1b"
                    "c",
                    6),
            (Visible{"ab…", 3}));
}

}  // namespace
}  // namespace dbtrace::output
