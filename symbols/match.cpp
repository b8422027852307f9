#include "symbols/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "symbols/code_address.h"
#include "symbols/demangle.h"
#include "symbols/hit.h"
#include "symbols/name_outline.h"

namespace dbtrace::symbols {
namespace {

// What a crafted file can make one question cost: characters of demangled names
// (all of a MySQL with debug symbols are 100 million) and answers.
constexpr size_t kMaxCharacters = 256U << 20;
constexpr size_t kMaxHits = 1U << 20;
constexpr size_t kMaxLeftOut = 1000;

class Matcher {
 public:
  Matcher(TableSet& tables, const Pattern& pattern)
      : tables_(tables), pattern_(pattern), versions_(tables.binary()) {}

  Matches run() {
    if (const auto address = pattern_.address()) {
      match_address(*address);
    } else {
      match_names();
      if (hits_.empty() && undefined_.empty() && tables_.ask_servers()) match_names();
    }
    add_locations();
    mark_variants();
    return std::move(result_);
  }

 private:
  void match_names();
  void match_table(const Table& table, size_t number);
  void match_address(uint64_t address);
  void keep_best();
  void add_undefined(const Hit& hit);
  void add_locations();
  void add_location(std::vector<Hit>& hits);
  void remark(Location& location) const;
  void mark_variants();

  Hit hit_of(const Table& table, size_t number, size_t index) const;
  std::string demangled(std::string_view raw);

  TableSet& tables_;
  const Pattern& pattern_;
  SymbolVersions versions_;
  std::vector<Hit> hits_;
  std::set<std::pair<std::string_view, std::string_view>> undefined_;
  std::set<std::string_view> left_out_;
  std::multimap<std::string_view, uint64_t> dynamic_;  // what .dynsym said of matching names
  size_t characters_ = 0;
  Matches result_;
};

Hit Matcher::hit_of(const Table& table, size_t number, size_t index) const {
  Hit hit{.symbol = table.symbols.at(index), .version = {}, .table = number};
  if (table.is_dynamic) {
    hit.version = versions_.of(index);
  } else if (std::string_view text = hit.symbol.version; !text.empty()) {
    hit.version.is_default = text.starts_with("@@");
    hit.version.name = text.substr(hit.version.is_default ? 2 : 1);
  }
  hit.kind = kind_of(hit.symbol);
  return hit;
}

void Matcher::match_names() {
  hits_.clear();
  for (size_t i = 0; const Table* table = tables_.at(i); ++i) match_table(*table, i);
  keep_best();
}

void Matcher::match_table(const Table& table, size_t number) {
  for (const uint32_t index : table.symbols.containing(pattern_.needle())) {
    if (characters_ > kMaxCharacters || hits_.size() >= kMaxHits) {
      result_.truncated = true;
      return;
    }
    const Symbol symbol = table.symbols.at(index);
    if (!may_be_function(symbol)) continue;
    if (!pattern_.matches(symbol.name, characters_)) continue;
    const Hit hit = hit_of(table, number, index);
    if (!pattern_.accepts_version(hit.version.name, hit.version.is_default)) continue;
    if (!symbol.is_defined) {
      add_undefined(hit);
      continue;
    }
    const std::string_view suffix = clone_suffix(symbol.name);
    if ((hit.kind == FunctionKind::Cold || hit.kind == FunctionKind::Part) &&
        !pattern_.asks_for_suffix(suffix)) {
      if (result_.left_out.size() < kMaxLeftOut && left_out_.insert(symbol.name).second)
        result_.left_out.emplace_back(symbol.name);
      continue;
    }
    if (hit.kind == FunctionKind::Label && !is_code(tables_.binary(), symbol.address)) continue;
    // .dynsym is what the loader goes by; a static function is another one.
    if (table.is_dynamic) {
      dynamic_.emplace(symbol.name, symbol.address);
    } else if (!symbol.is_local && dynamic_.contains(symbol.name)) {
      const auto [first, last] = dynamic_.equal_range(symbol.name);
      const bool agrees = std::any_of(
          first, last, [&](const auto& entry) { return entry.second == symbol.address; });
      if (!agrees) continue;
    }
    hits_.push_back(hit);
  }
}

// An extern "C" function of exactly the typed name is meant alone; symbols
// without a type count only where there is nothing else.
void Matcher::keep_best() {
  const auto is_exactly_typed = [&](const Hit& hit) {
    const std::string_view raw = hit.symbol.name;
    return raw.substr(0, raw.size() - clone_suffix(raw).size()) == pattern_.name();
  };
  if (pattern_.form() == Pattern::Form::Name && std::ranges::any_of(hits_, is_exactly_typed))
    std::erase_if(hits_, [&](const Hit& hit) { return !is_exactly_typed(hit); });
  const auto is_label = [](const Hit& hit) { return hit.kind == FunctionKind::Label; };
  if (!std::ranges::all_of(hits_, is_label)) std::erase_if(hits_, is_label);
}

void Matcher::add_undefined(const Hit& hit) {
  if (hit.table != 0 || !undefined_.emplace(hit.symbol.name, hit.version.name).second) return;
  Undefined undefined{.raw = std::string(hit.symbol.name),
                      .full = demangled(hit.symbol.name),
                      .version = std::string(hit.version.name),
                      .library = std::string(hit.version.library)};
  if (undefined.library.empty())
    undefined.library = fmt::format("{}", fmt::join(versions_.needed(), ", "));
  result_.undefined.push_back(std::move(undefined));
}

void Matcher::match_address(uint64_t address) {
  std::optional<Hit> sized;    // the innermost that covers the address
  std::optional<Hit> nearest;  // the last that begins at or before it
  for (size_t i = 0; const Table* table = tables_.at(i); ++i) {
    for (size_t index = 0; index < table->symbols.size(); ++index) {
      const Symbol symbol = table->symbols.at(index);
      if (!may_be_function(symbol) || !symbol.is_defined || symbol.address > address) continue;
      if (symbol.kind == SymbolKind::Untyped && !is_code(tables_.binary(), symbol.address))
        continue;
      const auto is_better = [&](const std::optional<Hit>& than) {
        return !than || symbol.address > than->symbol.address;
      };
      if (is_better(nearest)) nearest = hit_of(*table, i, index);
      const bool covers = address - symbol.address < symbol.size;
      if (covers && is_better(sized)) sized = hit_of(*table, i, index);
    }
  }
  // What says no size ends where the next symbol or the section does.
  const bool reaches = nearest && nearest->symbol.size == 0 &&
                       in_one_section(tables_.binary(), nearest->symbol.address, address);
  if (reaches && (!sized || nearest->symbol.address >= sized->symbol.address)) sized = nearest;
  if (sized) {
    hits_.push_back(*sized);
    return;
  }
  const auto offset = tables_.binary().file_offset(address);
  if (!offset) return;
  Location location{.address = address, .offset = offset};
  location.names.push_back({.full = fmt::format("{:#x}", address),
                            .kind = FunctionKind::Address,
                            .file = tables_.binary().name(),
                            .matches = true});
  location.remarks.push_back(
      "no symbol covers this address: right only if an instruction begins here");
  result_.locations.push_back(std::move(location));
}

std::string Matcher::demangled(std::string_view raw) {
  if (characters_ > kMaxCharacters) return std::string(raw);
  auto full = demangle(raw);
  if (!full) return std::string(raw);
  characters_ += full->size();
  return std::move(*full);
}

void Matcher::add_locations() {
  std::ranges::sort(hits_, {}, key);
  std::vector<uint64_t> addresses;
  for (const Hit& hit : hits_) addresses.push_back(hit.symbol.address);
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());

  std::vector<Hit> all;
  for (size_t i = 0; i < tables_.opened().size() && !addresses.empty(); ++i) {
    const Table& table = tables_.opened()[i];
    for (const uint32_t index : table.symbols.at_addresses(addresses)) {
      if (all.size() >= kMaxHits) break;
      Hit hit = hit_of(table, i, index);
      if (may_be_function(hit.symbol) && hit.symbol.is_defined) all.push_back(std::move(hit));
    }
  }
  std::ranges::stable_sort(all, [](const Hit& a, const Hit& b) {
    return std::tuple(a.symbol.address, rank(a)) < std::tuple(b.symbol.address, rank(b));
  });
  for (size_t start = 0; start < all.size();) {
    size_t end = start;
    while (end < all.size() && all[end].symbol.address == all[start].symbol.address) ++end;
    std::vector<Hit> here(all.begin() + static_cast<ptrdiff_t>(start),
                          all.begin() + static_cast<ptrdiff_t>(end));
    add_location(here);
    start = end;
  }
}

// Makes a location of all symbols at one address, the best first.
void Matcher::add_location(std::vector<Hit>& hits) {
  Location location{.address = hits.front().symbol.address,
                    .offset = tables_.binary().file_offset(hits.front().symbol.address)};
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Hit& hit : hits) {
    // Other tables leave versions out: that is no further name.
    const auto same_name = seen.lower_bound({hit.symbol.name, {}});
    const bool repeats =
        hit.version.name.empty() && same_name != seen.end() && same_name->first == hit.symbol.name;
    if (repeats || !seen.emplace(hit.symbol.name, hit.version.name).second) continue;
    const Table& table = tables_.opened()[hit.table];
    const bool matches = std::ranges::binary_search(hits_, key(hit), {}, key);
    location.names.push_back({.raw = std::string(hit.symbol.name),
                              .full = demangled(hit.symbol.name),
                              .version = std::string(hit.version.name),
                              .is_default_version = hit.version.is_default,
                              .kind = hit.kind,
                              .size = hit.symbol.size,
                              .table = table.section,
                              .file = table.file,
                              .matches = matches});
    SymbolName& name = location.names.back();
    if (name.kind == FunctionKind::Function && name.full != location.names.front().full)
      name.kind = FunctionKind::Alias;
  }
  // Not std::ranges': the fuzzers' clang 14 does not compile those with GCC's library.
  std::stable_partition(location.names.begin(), location.names.end(),
                        [](const SymbolName& name) { return name.matches; });
  for (const SymbolName& name : location.names)
    if (location.size == 0) location.size = name.size;
  remark(location);
  result_.locations.push_back(std::move(location));
}

void Matcher::remark(Location& location) const {
  const SymbolName& name = location.names.front();
  const Section* section = code_section(tables_.binary(), location.address);
  if (section != nullptr && section->type == SHT_NOBITS) {
    location.no_entry = "this is a debug file, which nobody runs: name the program that it is of";
  } else if (!location.offset) {
    location.no_entry = "it lies outside the executable segments of the file";
  } else if (name.kind == FunctionKind::Ifunc) {
    location.no_entry =
        "it is the resolver of an indirect function: it runs once, when the program starts, and "
        "chooses which of several functions all calls go to";
  } else if (name.kind == FunctionKind::Cold) {
    location.no_entry = "it is a part of a function that is reached by jumps and never called";
  }
  std::set<std::string_view> functions;
  for (const SymbolName& other : location.names)
    if (other.raw.starts_with("_Z") && other.kind != FunctionKind::Cold)
      functions.insert(other.full);
  if (functions.size() > 1) {
    location.remarks.push_back(fmt::format(
        "{} functions with the same code share this address: a probe counts the calls of all",
        functions.size()));
  }
  if (name.kind == FunctionKind::Clone)
    location.remarks.push_back(
        "an instance that the compiler made of the function: arguments may be missing or "
        "elsewhere");
  if (name.kind == FunctionKind::Part)
    location.remarks.push_back(
        "the rest of a function whose beginning was inlined: not all calls come here");
  if (const auto address = pattern_.address(); address && *address != location.address)
    location.remarks.push_back(fmt::format("{:#x} is {:#x} bytes behind its start", *address,
                                           *address - location.address));
}

// A constructor or destructor may have variants at different addresses (C1 for
// whole objects, C2 for bases, D0 that also frees), of which one calls another.
void Matcher::mark_variants() {
  std::map<std::string_view, size_t> counts;
  const auto is_special = [](const SymbolName& name) {
    const NameOutline parts = outline(name.full);
    const auto scope = split_scope(parts.scope);
    if (scope.empty() || !name.raw.starts_with("_Z")) return false;
    std::string_view base = parts.base;
    if (base.starts_with('~')) base.remove_prefix(1);
    return base == take_apart(scope.back()).name;
  };
  for (const Location& location : result_.locations) ++counts[location.names.front().full];
  for (Location& location : result_.locations) {
    const SymbolName& name = location.names.front();
    const size_t count = counts[name.full];
    if (count > 1 && is_special(name))
      location.remarks.push_back(fmt::format(
          "one of {} variants of it, of which one may call another: the calls of one are enough",
          count));
  }
}

}  // namespace

Matches match_pattern(TableSet& tables, const Pattern& pattern) {
  return Matcher(tables, pattern).run();
}

}  // namespace dbtrace::symbols
