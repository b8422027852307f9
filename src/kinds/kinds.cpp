#include "src/kinds/kinds.h"

#include <algorithm>
#include <random>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "src/sql/table_names.h"

namespace dbtrace::kinds {
namespace {

using model::Query;
using model::TextState;
using sql::FingerprintMode;

constexpr std::string_view kNone = "(none)";
constexpr std::string_view kUnknown = "(unknown)";
constexpr std::string_view kAnonymous = "(anonymous)";
constexpr std::string_view kNoStatement = "(no statement)";  // comments only, or nothing
constexpr std::string_view kOtherText = "(other)";
// Of lists of tables, for each kind.
constexpr size_t kMostListsPerKind = 4;

uint64_t hash(std::string_view bytes, uint64_t seed = 0) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

uint64_t random_seed() {
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}

sql::LexerOptions lexer_options(const Query& query) {
  const sql::Dialect dialect = dialect_of(query);
  const bool standard = dialect == sql::Dialect::PostgreSql;
  return {.dialect = dialect, .ansi_quotes = standard, .backslash_escapes = !standard};
}

// Of the groupings that go by what is known of the session or the command.
std::string_view name_of(const Query& query, const KindOptions& options, std::string& scratch) {
  switch (options.by) {
    case By::Database:
      return query.database && !query.database->empty() ? std::string_view(*query.database) : kNone;
    case By::User:
      if (!query.user) return kUnknown;
      return query.user->empty() ? kAnonymous : std::string_view(*query.user);
    case By::Command:
      return query.command.empty() ? kUnknown : query.command;
    case By::Connection:
      if (!query.connection_id) return kUnknown;
      scratch = options.several_servers ? std::to_string(query.pid) + ":" : "";
      scratch += std::to_string(*query.connection_id);
      return scratch;
    case By::Fingerprint:
    case By::Table:
      break;
  }
  return kNone;
}

}  // namespace

Kinds::Kinds(const KindOptions& options)
    : options_(options),
      fingerprints_(options.mode),
      kinds_{{.id = "other", .text = std::string(kOtherText)}},
      lists_{{kOther}},
      seed_(random_seed()),
      seen_(kSeen) {}

std::span<const uint32_t> Kinds::of(const Query& query) {
  found_ = find(query);
  if (options_.by == By::Table) return lists_[found_];
  return {&found_, 1};
}

uint32_t Kinds::find(const Query& query) {
  const bool by_table = options_.by == By::Table;
  if (!by_table && options_.by != By::Fingerprint) return named(name_of(query, options_, scratch_));
  if (!query.has_sql() || query.text_state == TextState::Unreadable) {
    if (by_table) return list_of_tables(query);
    scratch_ = '[';
    scratch_ += query.command;
    scratch_ += query.has_sql() ? "] (text unreadable)" : "]";
    return named(std::string(scratch_));
  }
  uint64_t key = hash(query.text, seed_ + 2 * static_cast<uint64_t>(dialect_of(query)) +
                                      static_cast<uint64_t>(query.truncated())) +
                 static_cast<uint64_t>(query.is_fingerprint);
  if (by_table && query.database) key = hash(*query.database, key);
  Seen& seen = seen_[key % kSeen];
  if (seen.hash != key) {
    seen.found = by_table ? list_of_tables(query) : fingerprint_of(query);
    seen.hash = key;
  }
  return seen.found;
}

uint32_t Kinds::fingerprint_of(const Query& query) {
  if (query.is_fingerprint) return recorded(query.text);
  const bool redacted = options_.redact && options_.redact(query.text, scratch_);
  const sql::Fingerprint fingerprint = fingerprints_.of(query, redacted ? scratch_ : query.text);
  return number(fingerprint.id, fingerprint.text, options_.mode);
}

// What is at hand is Kind::text.
uint32_t Kinds::recorded(std::string_view text) {
  if (text == kOtherText) return kOther;
  if (text == kNoStatement) text = "";
  return number(hash(text), text, FingerprintMode::MySql);
}

uint32_t Kinds::list_of_tables(const Query& query) {
  std::vector<uint32_t> list;
  if (query.has_sql() && query.text_state == TextState::Present) {
    for (const sql::TableName& table :
         sql::tables_of(query.text, query.truncated(), lexer_options(query))) {
      // PostgreSQL looks for a bare name in several schemas; which one has it, is not known.
      const bool is_in_database = dialect_of(query) != sql::Dialect::PostgreSql;
      const std::string& schema = table.database.empty() && is_in_database
                                      ? query.database.value_or("")
                                      : table.database;
      scratch_ = schema.empty() ? table.table : schema + "." + table.table;
      const uint32_t kind = named(scratch_);
      if (std::ranges::find(list, kind) == list.end()) list.push_back(kind);
    }
  }
  if (list.empty()) list.push_back(named(kNone));
  const uint64_t key = XXH3_64bits(list.data(), list.size() * sizeof list.front());
  if (const auto known = list_numbers_.find(key); known != list_numbers_.end())
    return known->second;
  if (lists_.size() > options_.max_kinds * kMostListsPerKind) return 0;
  const auto number = static_cast<uint32_t>(lists_.size());
  lists_.push_back(std::move(list));
  list_numbers_.emplace(key, number);
  return number;
}

uint32_t Kinds::named(std::string_view name) {
  return number(hash(name), name, FingerprintMode::MySql);
}

uint32_t Kinds::number(uint64_t key, std::string_view text, FingerprintMode mode) {
  if (const auto known = numbers_.find(key); known != numbers_.end()) return known->second;
  if (kinds_.size() > options_.max_kinds) return kOther;
  const auto number = static_cast<uint32_t>(kinds_.size());
  Kind kind{.id = sql::printed_id(mode, text),
            .text = std::string(text.empty() ? kNoStatement : text.substr(0, Kind::kMostText))};
  if (text.size() > Kind::kMostText) kind.text += "...";
  kinds_.push_back(std::move(kind));
  numbers_.emplace(key, number);
  return number;
}

}  // namespace dbtrace::kinds
