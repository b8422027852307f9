#include "bpf/coarse_text.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include "src/sql/fingerprint.h"
#include "tests/unit/sql/statement_generator.h"

namespace dbtrace::sql {
namespace {

// nullopt: unsure.
std::optional<uint64_t> coarse(std::string_view text) {
  dbt_scan scan;
  dbt_scan_begin(&scan, 0);
  const auto at = [&](size_t i) { return static_cast<dbt_u8>(i < text.size() ? text[i] : 0); };
  for (size_t i = 0; i < text.size(); ++i) dbt_scan_step(&scan, at(i), at(i + 1), at(i + 2));
  const uint64_t kind = dbt_scan_end(&scan);
  if (scan.unsure) return std::nullopt;
  return kind;
}

TEST(CoarseText, ValuesCommentsAndWhiteSpaceDoNotMatter) {
  const auto kind = coarse("SELECT c FROM sbtest1 WHERE id = 1 AND d = 'x'");
  ASSERT_TRUE(kind);
  for (const std::string_view same : {
           "SELECT c FROM sbtest1 WHERE id = 49931 AND d = 'x'",
           "SELECT c FROM sbtest1 WHERE id = 4.5 AND d = 'it is\\' one'",
           "SELECT  c\n FROM sbtest1 WHERE id = 1 AND d = '-- no /* comment'",
           "SELECT c /* it's 5 */ FROM sbtest1 WHERE id = 1 AND d = ''",
           "SELECT c FROM sbtest1 -- it's\n WHERE id = 1 AND d = 'x'",
           "SELECT c FROM sbtest1 # it's\nWHERE id = 1 AND d = '\"'",
       })
    EXPECT_EQ(coarse(same), kind) << same;
}

TEST(CoarseText, EverythingElseMatters) {
  const std::set<std::optional<uint64_t>> kinds = {
      coarse("SELECT c FROM sbtest1 WHERE id = 1"),
      coarse("SELECT c FROM sbtest2 WHERE id = 1"),
      coarse("SELECT c FROM `sbtest2` WHERE id = 1"),
      coarse("SELECT c FROM `sbtest''2` WHERE id = 1"),
      coarse("SELECT c FROM `sbtest''3` WHERE id = 1"),
      coarse("SELECT c FROM 2023db.t WHERE id = 1"),
      coarse("SELECT c FROM 2024db.t WHERE id = 1"),
      coarse("SELECT c FROM a.2023 WHERE id = 1"),
      coarse("SELECT c FROM a.2024 WHERE id = 1"),
      coarse("SELECT 'a'"),
      coarse("SELECT \"a\""),
      coarse("SELECT 'a' 'b'"),
      coarse("SELECT @1"),
      coarse("SELECT @2"),
      coarse("SELECT /*+ BKA(t1) */ 1"),
      coarse("SELECT /*+ BKA(t2) */ 1"),
      coarse(""),
  };
  EXPECT_EQ(kinds.size(), 17U);
  EXPECT_FALSE(kinds.contains(std::nullopt));
}

TEST(CoarseText, UnsureRatherThanWrong) {
  for (const std::string_view text :
       {"SELECT /*!80000 'a' */ 1", "SELECT /*M! 1 */", "SELECT 'open", "SELECT `open",
        "SELECT 1 /* open", "SELECT /*+ QB_NAME(`a`) */ 1"})
    EXPECT_FALSE(coarse(text)) << text;
}

// The promise: one coarse kind, one fingerprint.
class CoarseKinds {
 public:
  void add(const std::string& text) {
    const auto kind = coarse(text);
    if (!kind) {
      ++unsure_;
      return;
    }
    const std::string fingerprint(fingerprinter_.of(text).text);
    const auto [found, is_new] = fingerprints_.emplace(*kind, std::pair(fingerprint, text));
    merged_ += !is_new;
    EXPECT_EQ(found->second.first, fingerprint) << found->second.second << "\n" << text;
  }
  [[nodiscard]] size_t unsure() const { return unsure_; }
  [[nodiscard]] size_t merged() const { return merged_; }

 private:
  Fingerprinter fingerprinter_;
  std::map<uint64_t, std::pair<std::string, std::string>> fingerprints_;
  size_t unsure_ = 0, merged_ = 0;
};

TEST(CoarseText, OneKindOneFingerprintOfStatements) {
  constexpr uint64_t kShapes = 2000, kSpellings = 8;
  CoarseKinds kinds;
  std::mt19937_64 random(7);
  for (uint64_t shape = 0; shape < kShapes; ++shape) {
    for (uint64_t spelling = 0; spelling < kSpellings; ++spelling) {
      std::string text = StatementGenerator(shape, shape * kSpellings + spelling).statement();
      kinds.add(text);
      // Other digits in the same places.
      for (char& c : text)
        if (c >= '1' && c <= '9') c = static_cast<char>('1' + random() % 9);
      kinds.add(text);
    }
  }
  EXPECT_GT(kinds.merged(), 5000U);
  EXPECT_LT(kinds.unsure(), kShapes * kSpellings);
}

TEST(CoarseText, OneKindOneFingerprintOfNonsense) {
  constexpr std::string_view kPieces[] = {"a",  "1",  "2",  "'", "''", "\"",   "`",      "\\",
                                          "/*", "*/", "--", " ", "\n", "#",    ".",      "@",
                                          "x'", "b'", "0x", "e", "$",  "\xc3", "/*!",    ",",
                                          "(",  ")",  "=",  "-", "+",  "?",    "_utf8'", "N'"};
  CoarseKinds kinds;
  std::mt19937_64 random(11);
  for (int i = 0; i < 200'000; ++i) {
    std::string text = "SELECT ";
    const size_t pieces = 1 + random() % 7;
    for (size_t j = 0; j < pieces; ++j) text += kPieces[random() % std::size(kPieces)];
    kinds.add(text);
  }
  EXPECT_GT(kinds.merged(), 1000U);
}

}  // namespace
}  // namespace dbtrace::sql
