#include "symbols/finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "symbols/clone.h"
#include "symbols/inlined.h"
#include "symbols/match.h"
#include "symbols/pattern_text.h"
#include "symbols/similar.h"
#include "symbols/table_set.h"

namespace dbtrace::symbols {
namespace {

// What a crafted file can make one question cost: characters of names looked
// at, mangled and demangled (all of a MySQL with debug symbols are 100 million),
// and answers kept.
constexpr size_t kMaxCharacters = 256U << 20;
constexpr size_t kMaxAnswers = 4096;

// A typed name and what a raw name must contain to be worth demangling.
struct Wanted {
  std::string typed;
  std::string scope;
  std::string base;
  std::string needle;  // "" when every name must be looked at
};

Wanted parse_wanted(std::string_view typed) {
  const FunctionName name = parse_function_name(typed);
  return {.typed = std::string(typed),
          .scope = name.scope,
          .base = name.base,
          .needle = needle_of_name(name.base)};
}

bool spells(std::string_view raw, const Wanted& wanted) {
  if (wanted.needle.empty()) return true;
  return raw.find(fmt::format("{}{}", wanted.needle.size(), wanted.needle)) !=
         std::string_view::npos;
}

// 27123 → "27,123".
std::string grouped(size_t number) {
  std::string text = fmt::format("{}", number);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

enum class Keep { Matches, NearMisses };

// A symbol that is, or could be mistaken for, what was asked for.
struct Candidate {
  Function function;
  SymbolKind kind = SymbolKind::Other;
  std::string why_not;  // "" for a match
};

FunctionName name_of(std::string_view raw) {
  if (auto demangled = demangle(raw)) return parse_function_name(*demangled);
  FunctionName name;
  name.full = raw;
  name.base = raw.substr(0, raw.size() - clone_suffix(raw).size());
  return name;
}

// Why a function of this name is not the wanted one, "" when it is; nullopt
// when the two have nothing in common.
std::optional<std::string> judge_name(const FunctionName& name, std::string_view raw,
                                      const Wanted& wanted) {
  if (raw == wanted.typed) return "";
  if (name.is_local && name.scope.find(wanted.base + "(") != std::string::npos) {
    return "local to another function";
  }
  if (name.base != wanted.base) return std::nullopt;
  if (name.is_local) return "local to another function";
  if (name.scope != wanted.scope) return "another scope";
  const std::string_view suffix = clone_suffix(raw);
  return clone_kind(suffix) != CloneKind::Renamed ? fmt::format("clone {}", suffix) : std::string();
}

std::string judge_symbol(const Symbol& symbol, bool has_offset) {
  if (!symbol.is_defined) return "defined in another library";
  if (symbol.kind == SymbolKind::Resolver) return "resolver of an indirect function";
  return has_offset ? "" : "outside the binary's executable segments";
}

}  // namespace

struct Finder::Impl {
  TableSet tables;

  std::vector<Candidate> candidates(const Table& table, const Wanted& wanted, Keep keep) const;

  std::optional<uint64_t> value_of(std::string_view raw_name, SymbolKind kind) const;

  // The first defined symbol that has `name_part` in its name and is accepted.
  template <typename Accept>
  std::optional<Symbol> first_symbol(std::string_view name_part, Accept accept) const {
    for (const Table& table : tables.opened()) {
      for (uint32_t index : table.symbols.containing(name_part)) {
        const Symbol symbol = table.symbols.at(index);
        if (symbol.is_defined && accept(symbol)) return symbol;
      }
    }
    return std::nullopt;
  }
};

std::vector<Candidate> Finder::Impl::candidates(const Table& table, const Wanted& wanted,
                                                Keep keep) const {
  std::vector<Candidate> result;
  size_t characters = 0;
  for (uint32_t index : table.symbols.containing(wanted.needle)) {
    const Symbol symbol = table.symbols.at(index);
    if (!may_be_function(symbol)) continue;
    const bool is_plain = !symbol.name.starts_with("_Z");
    if (!is_plain && !spells(symbol.name, wanted)) continue;
    if (characters > kMaxCharacters || result.size() == kMaxAnswers) break;

    FunctionName name = name_of(symbol.name);
    characters += symbol.name.size() + name.full.size();
    auto why_not = judge_name(name, symbol.name, wanted);
    if (!why_not) continue;
    const auto offset = tables.binary().file_offset(symbol.address);
    if (why_not->empty()) why_not = judge_symbol(symbol, offset.has_value());
    if (why_not->empty() != (keep == Keep::Matches)) continue;
    result.push_back({.function = {.raw = std::string(symbol.name),
                                   .name = std::move(name),
                                   .address = symbol.address,
                                   .offset = offset.value_or(0),
                                   .size = symbol.size,
                                   .table = table.section,
                                   .file = table.file},
                      .kind = symbol.kind,
                      .why_not = std::move(*why_not)});
  }
  return result;
}

Finder::Finder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Finder::Finder(Finder&&) noexcept = default;
Finder& Finder::operator=(Finder&&) noexcept = default;
Finder::~Finder() = default;

Result<Finder> Finder::open(ElfFile binary, FinderOptions options) {
  return Finder(std::make_unique<Impl>(Impl{TableSet(std::move(binary), std::move(options))}));
}

const ElfFile& Finder::binary() const { return impl_->tables.binary(); }

std::vector<Function> Finder::functions(std::string_view name) {
  const Wanted wanted = parse_wanted(name);
  std::vector<Function> result;
  for (size_t i = 0; const Table* table = impl_->tables.at(i); ++i) {
    std::set<std::pair<uint64_t, std::string>> seen;  // C1 and C2 are often one function
    const auto candidates = impl_->candidates(*table, wanted, Keep::Matches);
    // A symbol without a type counts only where nothing better is to be had.
    for (const bool untyped : {false, true}) {
      for (const Candidate& candidate : candidates) {
        const Function& function = candidate.function;
        if ((candidate.kind == SymbolKind::Untyped) != untyped) continue;
        if (seen.emplace(function.address, function.name.full).second) result.push_back(function);
      }
      if (!result.empty()) return result;
    }
  }
  return result;
}

std::vector<std::string> Finder::near_misses(std::string_view name) {
  const Wanted wanted = parse_wanted(name);
  std::vector<std::string> result;
  for (size_t i = 0; const Table* table = impl_->tables.at(i); ++i) {
    for (const Candidate& candidate : impl_->candidates(*table, wanted, Keep::NearMisses)) {
      std::string text = fmt::format("{} [{}]", candidate.function.name.full, candidate.why_not);
      if (std::find(result.begin(), result.end(), text) == result.end()) {
        result.push_back(std::move(text));
      }
    }
  }
  return result;
}

std::optional<uint64_t> Finder::Impl::value_of(std::string_view raw_name, SymbolKind kind) const {
  if (raw_name.empty()) return std::nullopt;
  const auto symbol = first_symbol(raw_name, [&](const Symbol& candidate) {
    return candidate.kind == kind && candidate.name == raw_name;
  });
  return symbol ? std::optional(symbol->address) : std::nullopt;
}

std::optional<uint64_t> Finder::data_address(std::string_view raw_name) {
  return impl_->value_of(raw_name, SymbolKind::Data);
}

std::optional<uint64_t> Finder::thread_local_place(std::string_view raw_name) {
  return impl_->value_of(raw_name, SymbolKind::ThreadLocal);
}

bool Finder::has_symbol_with_prefix(std::string_view prefix) {
  return impl_
      ->first_symbol(prefix,
                     [&](const Symbol& candidate) { return candidate.name.starts_with(prefix); })
      .has_value();
}

bool Finder::has_all_names() {
  for (size_t i = 0; const Table* table = impl_->tables.at(i); ++i)
    if (!table->is_dynamic) return true;
  return false;
}

Matches Finder::match(const Pattern& pattern) { return match_pattern(impl_->tables, pattern); }

std::optional<Inlined> Finder::inlined(const Pattern& pattern) {
  for (const ElfFile* file : impl_->tables.files())
    if (auto found = find_inlined(*file, pattern)) return found;
  return std::nullopt;
}

std::vector<std::string> Finder::similar_names(const Pattern& pattern, size_t most) {
  if (pattern.form() != Pattern::Form::Name) return {};
  return find_similar_names(impl_->tables, pattern.name(), most);
}

const std::vector<DebugFileAttempt>& Finder::debug_file_attempts() const {
  return impl_->tables.attempts();
}

std::string Finder::tables_summary() const {
  std::string summary;
  const auto add = [&summary](const std::string& part) {
    summary += (summary.empty() ? "" : ", ") + part;
  };
  for (const Table& table : impl_->tables.opened()) {
    size_t functions = 0;
    for (size_t i = 0; i < table.symbols.size(); ++i) {
      const Symbol symbol = table.symbols.at(i);
      if (symbol.is_defined && symbol.kind == SymbolKind::Function) ++functions;
    }
    const bool own = table.file == binary().name();
    add(fmt::format("{}{} ({} functions)", table.section, own ? "" : " of " + table.file,
                    grouped(functions)));
  }
  for (const std::string& reason : impl_->tables.missing()) add(reason);
  return summary;
}

}  // namespace dbtrace::symbols
