// The tables that a statement names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/sql/lexer.h"

namespace dbtrace::sql {

struct TableName {
  std::string database;  // empty: the session's
  std::string table;
  friend auto operator<=>(const TableName&, const TableName&) = default;
};

// Each once, in order of appearance, as the statement spells them, without quotes; not
// more than kMostTables. Told by where names stand (behind FROM, JOIN, INTO, UPDATE,
// TABLE, …), for nobody here knows the schema: what stands for something else in such a
// place (common table expressions, functions of tables, variables) is left out, views are
// tables. Statements that only look at the schema (SHOW) have none. `cut`: the statement
// goes on behind `text`, so its last word may not be whole. Linear in the text.
inline constexpr size_t kMostTables = 16;
[[nodiscard]] std::vector<TableName> tables_of(std::string_view text, bool cut,
                                               const LexerOptions& options);

}  // namespace dbtrace::sql
