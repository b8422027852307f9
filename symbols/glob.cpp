#include "symbols/glob.h"

#include <cstddef>

namespace dbtrace::symbols {
namespace {

constexpr size_t kNone = std::string_view::npos;

// The position behind the "]" of the set that begins at `at`; kNone without one.
size_t set_end(std::string_view pattern, size_t at) {
  size_t first = at + 1;
  if (first < pattern.size() && pattern[first] == '!') ++first;
  const size_t end = pattern.find(']', first + 1);  // a "]" in first place is a member
  return end == kNone ? kNone : end + 1;
}

bool set_has(std::string_view set, char c) {
  const bool negated = set.starts_with('!');
  if (negated) set.remove_prefix(1);
  bool found = false;
  for (size_t i = 0; i < set.size(); ++i) {
    if (i + 2 < set.size() && set[i + 1] == '-') {
      found = found || (set[i] <= c && c <= set[i + 2]);
      i += 2;
    } else {
      found = found || set[i] == c;
    }
  }
  return found != negated;
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = kNone;  // the last "*" met, and the text that it has to leave
  size_t resume = 0;
  while (t < text.size()) {
    size_t next = kNone;  // behind what takes text[t]; kNone: nothing does
    if (p < pattern.size()) {
      const size_t end = pattern[p] == '[' ? set_end(pattern, p) : kNone;
      if (pattern[p] == '*') {
        star = p++;
        resume = t;
        continue;
      }
      if (end != kNone) {
        if (set_has(pattern.substr(p + 1, end - p - 2), text[t])) next = end;
      } else if (pattern[p] == '?' || pattern[p] == text[t]) {
        next = p + 1;
      }
    }
    if (next != kNone) {
      p = next;
      ++t;
    } else if (star != kNone) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace dbtrace::symbols
