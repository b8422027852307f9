// Pages that need nothing else and ask nobody for anything. Data stands in a block of JSON in
// which no "<" remains; should a text get out of it all the same, the browser still runs no script
// but the page's own, which its policy names by its hash.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dbtrace::output {

struct PageValue {
  std::string_view name;
  std::string_view value;
};

// Appends `page` with its values where it has {{name}}; nothing for what is not known.
void append_page(std::string_view page, std::span<const PageValue> values, std::string& out);

// As a Content-Security-Policy names a script or a style.
[[nodiscard]] std::string policy_hash(std::string_view text);

// The same JSON, fit to stand within a <script>: only in strings there can be any "<".
[[nodiscard]] std::string json_for_page(std::string_view json);

}  // namespace dbtrace::output
