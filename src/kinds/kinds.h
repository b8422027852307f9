// Which kind a query is of: what queries have in common, a number for it, and a limit to
// how many there are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/kinds/fingerprints.h"
#include "src/model/query.h"
#include "src/sql/fingerprint.h"

namespace dbtrace::kinds {

// What those of one kind have in common.
enum class By : uint8_t { Fingerprint, Database, User, Command, Table, Connection };

struct KindOptions {
  By by = By::Fingerprint;
  sql::FingerprintMode mode = sql::FingerprintMode::MySql;
  size_t max_kinds = 5000;       // besides what kOther stands for
  bool several_servers = false;  // then connections are told by process, too
  // Takes secrets out of a text before its fingerprint is made (output::redact): a
  // fingerprint has no literals, but quoting may be read wrongly. Null: not done.
  bool (*redact)(std::string_view text, std::string& out) = nullptr;
};

struct Kind {
  static constexpr size_t kMostText = 4096;  // bytes that are kept; what is cut ends with "..."

  // Printable; the same in every run for the same options. With By::Fingerprint it is
  // sql::printed_id(), so that other tools know it.
  std::string id;
  std::string text;  // the fingerprint, or a name: raw bytes; never empty
};

// Kinds come and never go: the numbers from 0 to size() - 1 stay valid. Memory is bounded
// by max_kinds. Not thread-safe.
class Kinds {
 public:
  // Of all queries whose kinds came when there were max_kinds of them already.
  static constexpr uint32_t kOther = 0;

  explicit Kinds(const KindOptions& options);

  // The kinds of a query: one; with By::Table, which counts a query for each table that
  // it names, perhaps more. Good until the next call. Fast for texts that were seen before:
  // they are known by their hash.
  [[nodiscard]] std::span<const uint32_t> of(const model::Query& query);
  // For what is no query: the kind of that name.
  [[nodiscard]] uint32_t named(std::string_view name);

  [[nodiscard]] size_t size() const { return kinds_.size(); }
  [[nodiscard]] const Kind& operator[](uint32_t kind) const { return kinds_[kind]; }
  [[nodiscard]] const KindOptions& options() const { return options_; }

 private:
  // What was found for a text, by its hash. What comes to the same place takes it over.
  struct Seen {
    uint64_t hash = 0;
    uint32_t found = 0;
  };
  static constexpr size_t kSeen = 8192;

  // Its kind, or with By::Table its list.
  [[nodiscard]] uint32_t find(const model::Query& query);
  [[nodiscard]] uint32_t fingerprint_of(const model::Query& query);
  [[nodiscard]] uint32_t recorded(std::string_view text);
  [[nodiscard]] uint32_t list_of_tables(const model::Query& query);
  [[nodiscard]] uint32_t number(uint64_t key, std::string_view text, sql::FingerprintMode mode);

  KindOptions options_;
  Fingerprints fingerprints_;
  std::vector<Kind> kinds_;
  std::unordered_map<uint64_t, uint32_t> numbers_;
  std::vector<std::vector<uint32_t>> lists_;  // of kinds; as bounded as they are
  std::unordered_map<uint64_t, uint32_t> list_numbers_;
  uint64_t seed_;  // nobody outside can make hashes collide
  std::vector<Seen> seen_;
  std::string scratch_;
  uint32_t found_ = 0;
};

}  // namespace dbtrace::kinds
