// The end of a fingerprint whose statement was cut.
#pragma once

#include <string>

namespace dbtrace::sql {

// Takes away the word and the list in which the text was cut, for fingerprints
// that keep a statement's spelling.
inline void drop_cut_end(std::string& text) {
  const auto ends_with_one_of = [&](std::string_view characters) {
    return !text.empty() && characters.find(text.back()) != std::string_view::npos;
  };
  while (!text.empty() && !ends_with_one_of(" (,=<>?")) text.pop_back();
  while (ends_with_one_of(" ?,(")) text.pop_back();
}

}  // namespace dbtrace::sql
