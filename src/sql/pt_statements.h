// Statements of which pt-query-digest looks at a part only.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace dbtrace::sql {

// What stands for every statement of some programs: mysqldump and the toolkit's own.
[[nodiscard]] std::optional<std::string_view> pt_name_of_program(std::string_view text);

[[nodiscard]] bool pt_is_use(std::string_view text);

// These return npos when it is no such statement.
// The end of "call name", in front of the '('.
[[nodiscard]] size_t pt_end_of_call(std::string_view text);
// The end of an INSERT's first row if it has several: the first ')' of its values
// that has ", (" behind it.
[[nodiscard]] size_t pt_end_of_first_row(std::string_view text, bool backslash_escapes);

}  // namespace dbtrace::sql
