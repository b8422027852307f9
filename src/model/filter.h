// Which queries the user wants to see. Each criterion may be absent; all that
// are given must hold. A query that lacks what a criterion looks at (its user
// could not be had, its text could not be read) does not pass it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/model/query.h"
#include "symbols/result.h"

namespace dbtrace::model {

struct FilterOptions {
  std::optional<uint64_t> slower_than_ns;  // the duration is at least this
  std::vector<std::string> users;          // any of, exactly as the server spells them
  std::vector<std::string> hosts;          // any of: the host's name or its address
  std::vector<std::string> databases;
  std::vector<uint64_t> connections;
  // Names such as "Query", "query", "COM_STMT_EXECUTE" or "init db": case,
  // spaces, '_', "COM_" and "STMT_" do not matter.
  std::vector<std::string> commands;
  // The names that `commands` may speak of, as Query::command spells them.
  std::vector<std::string_view> known_commands;
  // Regular expression (RE2's syntax) on the text, case-insensitive; '.' matches
  // newlines too. Texts are bytes in any character set, so it is matched byte by
  // byte: a character outside ASCII is the bytes that encode it. Empty: none.
  std::string match;
  bool errors_only = false;
};

// Immutable once created, so that threads may share it.
class Filter {
 public:
  // Compiles the options. Errors: an expression that is not valid or too large
  // (the message names it), a command that is not known (the hint lists those
  // that are).
  [[nodiscard]] static Result<Filter> create(const FilterOptions& options);
  Filter(Filter&&) noexcept;
  Filter& operator=(Filter&&) noexcept;
  ~Filter();
  // True when `query` passes every criterion. Linear in the text's length
  // whatever the expression is.
  [[nodiscard]] bool accepts(const Query& query) const;
  // True when a command of this name may pass: for not even asking for others.
  [[nodiscard]] bool accepts_command(std::string_view name) const;

 private:
  Filter();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dbtrace::model
