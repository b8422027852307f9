// Comma-separated values, read again.
#pragma once

#include <string>
#include <vector>

namespace dbtrace::output {

// After RFC 4180.
inline std::vector<std::vector<std::string>> parse_csv(const std::string& csv) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  for (size_t at = 0; at < csv.size(); ++at) {
    std::string& field = rows.back().back();
    if (quoted && csv[at] == '"' && at + 1 < csv.size() && csv[at + 1] == '"') {
      field += csv[at++];
    } else if (csv[at] == '"') {
      quoted = !quoted;
    } else if (!quoted && csv[at] == ',') {
      rows.back().emplace_back();
    } else if (!quoted && csv.compare(at, 2, "\r\n") == 0) {
      rows.push_back({""});
      ++at;
    } else {
      field += csv[at];
    }
  }
  rows.pop_back();
  return rows;
}

}  // namespace dbtrace::output
