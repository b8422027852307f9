// The mode pt beside the programs that it stands for, on thousands of statements.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "src/sql/characters.h"
#include "src/sql/fingerprint.h"
#include "tests/unit/sql/statement_generator.h"

namespace dbtrace::sql {
namespace {

const char* const kPtFingerprint = "/usr/bin/pt-fingerprint";   // percona-toolkit
const char* const kPtQueryDigest = "/usr/bin/pt-query-digest";  // percona-toolkit
constexpr uint64_t kShapes = 2500;
constexpr uint64_t kSpellings = 2;

struct Statement {
  std::string text;
  unsigned oddities;
};

std::vector<Statement> corpus() {
  std::vector<Statement> statements;
  for (uint64_t shape = 0; shape < kShapes; ++shape) {
    for (uint64_t spelling = 0; spelling < kSpellings; ++spelling) {
      StatementGenerator generator(shape, shape * kSpellings + spelling);
      std::string text = generator.statement();
      statements.push_back({std::move(text), generator.oddities()});
    }
  }
  return statements;
}

// What `command` prints when it is given `input` as a file.
std::string output_of(const std::string& command, const std::string& input) {
  const std::string path = testing::TempDir() + "dbtrace-pt-" + std::to_string(getpid());
  std::ofstream(path) << input;
  std::string output;
  FILE* pipe = popen((command + " " + path + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return "popen failed";
  char buffer[4096];
  while (const size_t size = fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, size);
  pclose(pipe);
  std::filesystem::remove(path);
  return output;
}

// What the tool's own rewriter makes of each statement.
std::vector<std::string> rewritten_by(const std::string& tool,
                                      const std::vector<Statement>& statements) {
  std::string input;
  for (const Statement& statement : statements) (input += statement.text) += '\0';
  const std::string output = output_of(
      "perl -e 'require shift; my $r = QueryRewriter->new(QueryParser => QueryParser->new()); $/ = "
      "\"\\0\"; "
      "while (<>) { chomp; print $r->fingerprint($_), \"\\0\" }' " +
          tool,
      input);
  std::vector<std::string> texts;
  std::istringstream lines(output);
  for (std::string text; std::getline(lines, text, '\0');) texts.push_back(text);
  return texts;
}

// Every difference is of a kind that docs/fingerprints.md explains.
TEST(PtQueryDigest, AgreesExceptWhereALiteralOrCommentIsMisread) {
  if (access(kPtQueryDigest, X_OK) != 0) GTEST_SKIP() << kPtQueryDigest << " is not installed";
  const std::vector<Statement> statements = corpus();
  const std::vector<std::string> theirs = rewritten_by(kPtQueryDigest, statements);
  ASSERT_EQ(theirs.size(), statements.size());

  Fingerprinter fingerprinter(FingerprintMode::Pt);
  size_t different = 0, without_oddities = 0;
  std::map<unsigned, size_t> different_by_oddities;
  for (size_t i = 0; i < statements.size(); ++i) {
    const unsigned oddities = statements[i].oddities;
    if (oddities == 0) ++without_oddities;
    const std::string_view text = fingerprinter.of(statements[i].text).text;
    if (text == theirs[i]) continue;
    ++different;
    ++different_by_oddities[oddities];
    if (oddities == 0) {
      EXPECT_EQ(text, theirs[i]) << statements[i].text;
    }
  }
  const double agreement = 100.0 * static_cast<double>(statements.size() - different) /
                           static_cast<double>(statements.size());
  std::printf("pt-query-digest: %zu statements, %.2f %% alike; the %zu without oddities all\n",
              statements.size(), agreement, without_oddities);
  for (const auto& [oddities, count] : different_by_oddities) {
    std::printf("  %4zu differ with", count);
    const char* const names[] = {
        "a quote in a line comment",        "a backslash before the closing quote",
        "the other quote in a string",      "a comment mark in a string",
        "a hexadecimal number in capitals", "'), (' in a string"};
    for (size_t i = 0; i < std::size(names); ++i) {
      if ((oddities >> i & 1) != 0) std::printf(" [%s]", names[i]);
    }
    std::printf("\n");
  }
  EXPECT_GE(agreement, 95.0);
  EXPECT_GE(without_oddities, statements.size() * 8 / 10);
}

// Older ones leave TRUE and FALSE alone, otherwise it is the same.
TEST(PtFingerprint, Agrees) {
  if (access(kPtFingerprint, X_OK) != 0) GTEST_SKIP() << kPtFingerprint << " is not installed";
  std::string input;
  std::vector<std::string> ours;
  Fingerprinter fingerprinter(FingerprintMode::Pt);
  for (const Statement& statement : corpus()) {
    std::string upper = statement.text;
    std::transform(upper.begin(), upper.end(), upper.begin(), to_upper);
    const bool boolean =
        upper.find("TRUE") != std::string::npos || upper.find("FALSE") != std::string::npos;
    if (boolean || statement.oddities != 0) continue;
    input += statement.text + ";\n";
    ours.emplace_back(fingerprinter.of(statement.text).text);
  }
  std::istringstream theirs(output_of(kPtFingerprint, input));
  for (const std::string& text : ours) {
    std::string expected;
    ASSERT_TRUE(std::getline(theirs, expected)) << "fewer lines than statements";
    EXPECT_EQ(text, expected);
  }
  std::string more;
  EXPECT_FALSE(std::getline(theirs, more)) << "more lines than statements: " << more;
  EXPECT_GE(ours.size(), kShapes);
}

TEST(PtQueryDigest, HasTheSameClassesWithTheSameIdsAndCounts) {
  if (access(kPtQueryDigest, X_OK) != 0) GTEST_SKIP() << kPtQueryDigest << " is not installed";
  Fingerprinter fingerprinter(FingerprintMode::Pt);
  std::map<std::string, std::pair<std::string, int>> ours;  // id → text, count
  std::string log;
  int statements = 0;
  for (const Statement& statement : corpus()) {
    // In a slow log, "use" is a change of the database and no statement.
    const bool is_use = equals_word(std::string_view(statement.text).substr(0, 3), "USE");
    if (statement.oddities != 0 || is_use) continue;
    ++statements;
    log +=
        "# Time: 2026-01-02T03:04:05.000000Z\n# User@Host: a[a] @ h []  Id: 1\n"
        "# Query_time: 0.1  Lock_time: 0.0 Rows_sent: 0  Rows_examined: 0\n" +
        statement.text + ";\n";
    const std::string_view text = fingerprinter.of(statement.text).text;
    auto& [known_text, count] = ours[printed_id(FingerprintMode::Pt, text)];
    known_text = text;
    ++count;
  }
  const std::string output = output_of(
      std::string(kPtQueryDigest) + " --no-version-check --output json --limit 100%", log);
  const size_t begin = output.find('{');
  ASSERT_NE(begin, std::string::npos) << output;
  const auto report = nlohmann::json::parse(output.substr(begin), nullptr, false);
  ASSERT_TRUE(report.is_object()) << output.substr(0, 2000);

  size_t alike = 0;
  for (const auto& query_class : report["classes"]) {
    const auto found = ours.find("0x" + query_class["checksum"].get<std::string>());
    ASSERT_NE(found, ours.end()) << query_class["fingerprint"];
    EXPECT_EQ(found->second.second, query_class["query_count"]) << found->second.first;
    ++alike;
  }
  EXPECT_EQ(alike, ours.size());
  std::printf("pt-query-digest: %d statements, %zu classes, all alike\n", statements, alike);
}

}  // namespace
}  // namespace dbtrace::sql
