#include "symbols/similar.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "symbols/demangle.h"
#include "symbols/name_outline.h"

namespace dbtrace::symbols {
namespace {

constexpr size_t kMaxTyped = 200;
constexpr size_t kMaxCandidates = 4096;
constexpr size_t kMaxCharacters = 64U << 20;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// Calls `look` with each identifier that a raw name spells, until it is true.
template <typename Look>
bool any_identifier(std::string_view raw, Look look) {
  if (!raw.starts_with("_Z")) return look(raw.substr(0, raw.size() - clone_suffix(raw).size()));
  for (size_t i = 2; i < raw.size();) {
    size_t length = 0;
    while (i < raw.size() && std::isdigit(static_cast<unsigned char>(raw[i])) != 0 &&
           length <= raw.size())
      length = length * 10 + static_cast<size_t>(raw[i++] - '0');
    if (length == 0 || length > raw.size() - i) {
      i += length == 0 ? 1 : 0;
      continue;
    }
    if (look(raw.substr(i, length))) return true;
    i += length;
  }
  return false;
}

struct Near {
  size_t distance;
  std::string name;
  auto operator<=>(const Near&) const = default;
};

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b, size_t limit) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > limit) return limit + 1;
  // Three rows of the classic table: the one before the last tells of swaps.
  std::vector<size_t> two_back(a.size() + 1), last(a.size() + 1), row(a.size() + 1);
  for (size_t j = 0; j <= a.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= b.size(); ++i) {
    row[0] = i;
    size_t least = row[0];
    for (size_t j = 1; j <= a.size(); ++j) {
      const size_t replaced = last[j - 1] + (a[j - 1] == b[i - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[j - 1] == b[i - 2] && a[j - 2] == b[i - 1])
        row[j] = std::min(row[j], two_back[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    if (least > limit) return limit + 1;
    two_back.swap(last);
    last.swap(row);
  }
  return std::min(last[a.size()], limit + 1);
}

std::vector<std::string> find_similar_names(TableSet& tables, std::string_view typed, size_t most) {
  const NameOutline wanted = outline(typed);
  const std::string base = lower(wanted.base);
  if (base.empty() || base.size() > kMaxTyped) return {};
  const size_t limit = std::clamp<size_t>(base.size() / 4, 1, 3);
  const auto distance_to = [&](std::string_view name) {
    const size_t difference =
        name.size() > base.size() ? name.size() - base.size() : base.size() - name.size();
    return difference > limit ? limit + 1 : edit_distance(lower(name), base, limit);
  };

  std::set<Near> found;
  size_t characters = 0;
  for (size_t i = 0; const Table* table = tables.at(i); ++i) {
    for (size_t index = 0; index < table->symbols.size(); ++index) {
      if (characters > kMaxCharacters || found.size() >= kMaxCandidates) break;
      const Symbol symbol = table->symbols.at(index);
      if (symbol.kind != SymbolKind::Function || !symbol.is_defined) continue;
      // Cheap first: does the raw name spell anything like it at all?
      if (!any_identifier(symbol.name,
                          [&](std::string_view name) { return distance_to(name) <= limit; }))
        continue;
      const std::string full = demangle(symbol.name).value_or(std::string(symbol.name));
      characters += full.size();
      const NameOutline name = outline(full);
      const size_t distance = distance_to(name.base);
      if (distance > limit || name.is_local) continue;
      // The scope that was typed is a better guess than any other.
      const size_t other_scope = name.scope == wanted.scope ? 0 : 1;
      found.insert({distance * 2 + other_scope, full});
    }
  }
  std::vector<std::string> result;
  for (const Near& near : found) {
    if (result.size() == most) break;
    if (std::ranges::find(result, near.name) == result.end()) result.push_back(near.name);
  }
  return result;
}

}  // namespace dbtrace::symbols
