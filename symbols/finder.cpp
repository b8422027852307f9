#include "symbols/finder.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "symbols/debug_file.h"
#include "symbols/symbol_table.h"

namespace dbtrace::symbols {
namespace {

// What a crafted file can make one question cost: characters of names looked
// at, mangled and demangled (all of a MySQL with debug symbols are 100 million),
// and answers kept.
constexpr size_t kMaxCharacters = 256U << 20;
constexpr size_t kMaxAnswers = 4096;

// Suffixes that only rename a function, so that it is one with its parameters
// intact. All others (.cold, .part, .constprop, .isra, …) mark a piece of it or
// an instance with other parameters.
constexpr std::array<std::string_view, 3> kRenamings = {".lto_priv.", ".llvm.", ".__uniq."};

bool is_clone(std::string_view suffix) {
  return !suffix.empty() &&
         std::none_of(kRenamings.begin(), kRenamings.end(),
                      [&](std::string_view renaming) { return suffix.starts_with(renaming); });
}

bool is_identifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
  });
}

// A typed name and what a raw name must contain to be worth demangling.
struct Wanted {
  std::string typed;
  std::string scope;
  std::string base;
  std::string needle;  // "" when every name must be looked at
};

// Mangled names spell identifiers out as `16dispatch_command`, save for
// operators, conversions and the abbreviations of std (St, Ss, …). A
// constructor or destructor names its class that way.
Wanted parse_wanted(std::string_view typed) {
  const FunctionName name = parse_function_name(typed);
  Wanted wanted{.typed = std::string(typed), .scope = name.scope, .base = name.base, .needle = {}};
  std::string_view base = wanted.base;
  if (base.starts_with('~')) base.remove_prefix(1);
  const bool is_std = wanted.scope == "std" || wanted.scope.starts_with("std::");
  const bool is_operator = base.starts_with("operator") && !is_identifier(base);
  if (is_identifier(base) && !is_std && !is_operator) wanted.needle = base;
  return wanted;
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

struct Table {
  SymbolTable symbols;
  std::string_view section;
  std::string file;
};

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
  return is_clone(suffix) ? fmt::format("clone {}", suffix) : std::string();
}

std::string judge_symbol(const Symbol& symbol, bool has_offset) {
  if (!symbol.is_defined) return "defined in another library";
  if (symbol.kind == SymbolKind::Resolver) return "resolver of an indirect function";
  return has_offset ? "" : "outside the binary's executable segments";
}

bool may_be_function(const Symbol& symbol) {
  return symbol.kind == SymbolKind::Function || symbol.kind == SymbolKind::Resolver ||
         symbol.kind == SymbolKind::Untyped;
}

}  // namespace

struct Finder::Impl {
  ElfFile binary;
  FinderOptions options;
  std::optional<ElfFile> debug_file = std::nullopt;
  bool debug_file_sought = false;
  std::vector<Table> tables = {};  // in the order of preference
  std::vector<std::string> unreadable = {};
  std::vector<DebugFileAttempt> attempts = {};

  void add_table(const ElfFile& file, uint32_t type) {
    auto symbols = SymbolTable::read(file, type);
    if (symbols) {
      tables.push_back({*symbols, SymbolTable::section_name(type), file.name()});
    } else {
      unreadable.push_back(symbols.error().message);
    }
  }

  // The table at `index`, if need be from the debug file; nullptr after the last.
  const Table* table(size_t index) {
    if (index >= tables.size() && !debug_file_sought) {
      debug_file_sought = true;
      debug_file = find_debug_file(binary, options, attempts);
      if (debug_file) add_table(*debug_file, SHT_SYMTAB);
    }
    return index < tables.size() ? &tables[index] : nullptr;
  }

  std::vector<Candidate> candidates(const Table& table, const Wanted& wanted, Keep keep) const;

  // The first defined symbol that has `name_part` in its name and is accepted.
  template <typename Accept>
  std::optional<Symbol> first_symbol(std::string_view name_part, Accept accept) const {
    for (const Table& table : tables) {
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
    if (!may_be_function(symbol) || symbol.name.empty()) continue;
    const bool is_plain = !symbol.name.starts_with("_Z");
    if (!is_plain && !spells(symbol.name, wanted)) continue;
    if (characters > kMaxCharacters || result.size() == kMaxAnswers) break;

    FunctionName name = name_of(symbol.name);
    characters += symbol.name.size() + name.full.size();
    auto why_not = judge_name(name, symbol.name, wanted);
    if (!why_not) continue;
    const auto offset = binary.file_offset(symbol.address);
    if (why_not->empty()) why_not = judge_symbol(symbol, offset.has_value());
    if (why_not->empty() != (keep == Keep::Matches)) continue;
    result.push_back({.function = {.raw = std::string(symbol.name),
                                   .name = std::move(name),
                                   .address = symbol.address,
                                   .offset = offset.value_or(0),
                                   .size = symbol.size,
                                   .table = std::string(table.section),
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
  auto impl = std::make_unique<Impl>(Impl{std::move(binary), std::move(options)});
  impl->add_table(impl->binary, SHT_DYNSYM);
  impl->add_table(impl->binary, SHT_SYMTAB);
  return Finder(std::move(impl));
}

const ElfFile& Finder::binary() const { return impl_->binary; }

std::vector<Function> Finder::functions(std::string_view name) {
  const Wanted wanted = parse_wanted(name);
  std::vector<Function> result;
  for (size_t i = 0; const Table* table = impl_->table(i); ++i) {
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
  for (size_t i = 0; const Table* table = impl_->table(i); ++i) {
    for (const Candidate& candidate : impl_->candidates(*table, wanted, Keep::NearMisses)) {
      std::string text = fmt::format("{} [{}]", candidate.function.name.full, candidate.why_not);
      if (std::find(result.begin(), result.end(), text) == result.end()) {
        result.push_back(std::move(text));
      }
    }
  }
  return result;
}

std::optional<uint64_t> Finder::data_address(std::string_view raw_name) {
  if (raw_name.empty()) return std::nullopt;
  const auto symbol = impl_->first_symbol(raw_name, [&](const Symbol& candidate) {
    return candidate.kind == SymbolKind::Data && candidate.name == raw_name;
  });
  return symbol ? std::optional(symbol->address) : std::nullopt;
}

bool Finder::has_symbol_with_prefix(std::string_view prefix) {
  return impl_
      ->first_symbol(prefix,
                     [&](const Symbol& candidate) { return candidate.name.starts_with(prefix); })
      .has_value();
}

std::optional<std::string> Finder::name_at(uint64_t address) {
  for (const Table& table : impl_->tables) {
    for (uint32_t index : table.symbols.at_address(address)) {
      const Symbol symbol = table.symbols.at(index);
      const bool is_function = symbol.is_defined && symbol.kind == SymbolKind::Function;
      if (is_function && !symbol.name.empty()) return std::string(symbol.name);
    }
  }
  return std::nullopt;
}

const std::vector<DebugFileAttempt>& Finder::debug_file_attempts() const { return impl_->attempts; }

std::string Finder::tables_summary() const {
  std::string summary;
  const auto add = [&summary](const std::string& part) {
    summary += (summary.empty() ? "" : ", ") + part;
  };
  for (const Table& table : impl_->tables) {
    size_t functions = 0;
    for (size_t i = 0; i < table.symbols.size(); ++i) {
      const Symbol symbol = table.symbols.at(i);
      if (symbol.is_defined && symbol.kind == SymbolKind::Function) ++functions;
    }
    const bool own = table.file == impl_->binary.name();
    add(fmt::format("{}{} ({} functions)", table.section, own ? "" : " of " + table.file,
                    grouped(functions)));
  }
  for (const std::string& reason : impl_->unreadable) add(reason);
  return summary;
}

}  // namespace dbtrace::symbols
