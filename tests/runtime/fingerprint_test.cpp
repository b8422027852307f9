// The mode mysql beside STATEMENT_DIGEST() and STATEMENT_DIGEST_TEXT() of the real
// server, on thousands of statements.
#include "src/sql/fingerprint.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/runtime/client.h"
#include "tests/runtime/servers.h"
#include "tests/unit/sql/statement_generator.h"

namespace dbtrace::testing {
namespace {

using sql::Fingerprinter;

constexpr uint64_t kShapes = 2500;
constexpr uint64_t kSpellings = 3;

struct Pair {
  std::string statement;
  std::string digest;  // the server's
  std::string digest_text;
  uint64_t id;  // ours
  std::string text;
};

// The statements that the server takes. (It looks up variables and default values,
// so it refuses a few.)
std::vector<Pair> digested_by(Client& client) {
  Fingerprinter fingerprinter;
  std::vector<Pair> pairs;
  for (uint64_t shape = 0; shape < kShapes; ++shape) {
    for (uint64_t spelling = 0; spelling < kSpellings; ++spelling) {
      sql::StatementGenerator generator(shape, shape * kSpellings + spelling);
      const std::string statement = generator.statement();
      std::string hex;
      for (const unsigned char c : statement) {
        hex += "0123456789ABCDEF"[c >> 4];
        hex += "0123456789ABCDEF"[c & 15];
      }
      const std::string literal = "(_utf8mb4 x'" + hex + "')";
      try {
        const Rows rows =
            client.query("SELECT STATEMENT_DIGEST" + literal + ", STATEMENT_DIGEST_TEXT" + literal);
        const sql::Fingerprint ours = fingerprinter.of(statement);
        pairs.push_back({statement, rows.at(0).at(0).value(), rows.at(0).at(1).value(), ours.id,
                         std::string(ours.text)});
      } catch (const ClientError&) {
      }
    }
  }
  return pairs;
}

TEST(Fingerprints, AreTheDigestsOfMySql) {
  if (const auto reason = why_unavailable(Flavor::MySql)) GTEST_SKIP() << *reason;
  // Otherwise it takes the first 1,024 bytes of a digest for the whole.
  Server server({.flavor = Flavor::MySql,
                 .arguments = {"--max-digest-length=1048576", "--performance-schema=OFF"}});
  Client client({.socket = server.socket()});
  client.query("CREATE DATABASE shop");
  client.select_database("shop");
  const std::vector<Pair> pairs = digested_by(client);
  ASSERT_GE(pairs.size(), kShapes * kSpellings * 8 / 10);

  size_t same_text = 0, same_kind = 0;
  std::map<std::string, std::set<uint64_t>> ids_of_digest;
  std::map<uint64_t, std::set<std::string>> digests_of_id;
  for (const Pair& pair : pairs) {
    ids_of_digest[pair.digest].insert(pair.id);
    digests_of_id[pair.id].insert(pair.digest);
  }
  std::string differences;
  for (const Pair& pair : pairs) {
    if (ids_of_digest[pair.digest].size() == 1 && digests_of_id[pair.id].size() == 1) ++same_kind;
    if (pair.text == pair.digest_text) {
      ++same_text;
    } else if (differences.size() < 4000) {
      differences +=
          pair.statement + "\n  server: " + pair.digest_text + "\n  here:   " + pair.text + "\n";
    }
  }
  const auto percent = [&](size_t count) {
    return 100.0 * static_cast<double>(count) / static_cast<double>(pairs.size());
  };
  std::printf(
      "MySQL: %zu statements of %zu kinds; %.2f %% in the same groups, %.2f %% with the same "
      "text\n",
      pairs.size(), ids_of_digest.size(), percent(same_kind), percent(same_text));
  EXPECT_GE(percent(same_kind), 99.9) << differences;
  EXPECT_GE(percent(same_text), 99.9) << differences;
  EXPECT_LT(ids_of_digest.size(), pairs.size() * 6 / 10)
      << "hardly any two statements are of one kind";
}

}  // namespace
}  // namespace dbtrace::testing
