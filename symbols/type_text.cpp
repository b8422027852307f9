#include "symbols/type_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <vector>

namespace dbtrace::symbols {
namespace {

using Tokens = std::vector<std::string>;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

// C writers say what a type is; demanglers do not.
bool is_elaboration(std::string_view word) {
  return word == "struct" || word == "class" || word == "enum" || word == "union";
}

// Words, "::", and single characters; no spaces.
Tokens split(std::string_view text) {
  Tokens tokens;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (text[i] == ' ') {
      i = end;
      continue;
    }
    if (is_word(text[i]))
      while (end < text.size() && is_word(text[end])) ++end;
    else if (text.substr(i, 2) == "::")
      ++end;
    if (!is_elaboration(text.substr(i, end - i))) tokens.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

bool is_number_word(const std::string& token) {
  static constexpr std::array<std::string_view, 7> kWords = {"unsigned", "signed", "long",  "short",
                                                             "int",      "char",   "double"};
  return std::ranges::find(kWords, token) != kWords.end();
}

// "long unsigned int" and the like → as the demangler writes it.
std::string number_type(const Tokens& words) {
  const auto count = [&words](std::string_view word) { return std::ranges::count(words, word); };
  if (count("double") != 0) return count("long") != 0 ? "long double" : "double";
  const std::string sign = count("unsigned") != 0 ? "unsigned " : "";
  if (count("char") != 0) return count("signed") != 0 ? "signed char" : sign + "char";
  if (count("long") > 1) return sign + "long long";
  if (count("long") == 1) return sign + "long";
  return sign + (count("short") != 0 ? "short" : "int");
}

// Each run of number words as one token.
Tokens join_numbers(const Tokens& tokens) {
  Tokens result;
  Tokens words;
  const auto flush = [&] {
    if (!words.empty()) result.push_back(number_type(words));
    words.clear();
  };
  for (const std::string& token : tokens) {
    if (is_number_word(token)) {
      words.push_back(token);
      continue;
    }
    flush();
    result.push_back(token);
  }
  flush();
  return result;
}

// The end of the type's name that begins at `at`: words and "::" with template
// arguments between and behind them.
size_t name_end(const Tokens& tokens, size_t at) {
  bool word_may_follow = true;
  while (at < tokens.size()) {
    const std::string& token = tokens[at];
    if (token == "<") {
      int depth = 0;
      for (; at < tokens.size(); ++at) {
        if (tokens[at] == "<") ++depth;
        if (tokens[at] == ">" && --depth == 0) break;
      }
      ++at;
      word_may_follow = false;
    } else if (token == "::") {
      ++at;
      word_may_follow = true;
    } else if (word_may_follow && is_word(token[0])) {
      ++at;
      word_may_follow = false;
    } else {
      break;
    }
  }
  return std::min(at, tokens.size());
}

// "const T" → "T const".
void move_const_back(Tokens& tokens) {
  // From the right, so that what is inside template arguments stands already.
  for (size_t i = tokens.size(); i-- > 0;) {
    if (tokens[i] != "const") continue;
    static constexpr std::string_view kBeforeAType = "(<,";
    const bool leads = i == 0 || kBeforeAType.find(tokens[i - 1]) != std::string_view::npos;
    if (!leads) continue;
    const size_t end = name_end(tokens, i + 1);
    std::rotate(tokens.begin() + static_cast<ptrdiff_t>(i),
                tokens.begin() + static_cast<ptrdiff_t>(i) + 1,
                tokens.begin() + static_cast<ptrdiff_t>(end));
  }
}

// A word that followed a ">" needs a space where it now follows a word.
void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
    const size_t end = at + with.size();
    if (end < text.size() && is_word(text[end]) && is_word(text[end - 1])) text.insert(end, 1, ' ');
  }
}

}  // namespace

std::string canonical_types(std::string_view text) {
  Tokens tokens = join_numbers(split(text));
  move_const_back(tokens);
  std::string result;
  for (const std::string& token : tokens) {
    if (!result.empty() && is_word(result.back()) && is_word(token[0])) result += ' ';
    result += token;
  }
  replace_all(result, "std::__cxx11::", "std::");
  replace_all(result, "std::__1::", "std::");
  replace_all(result, "std::basic_string<char,std::char_traits<char>,std::allocator<char>>",
              "std::string");
  return result == "(void)" ? "()" : result;
}

}  // namespace dbtrace::symbols
