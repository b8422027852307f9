#include "symbols/kernel_symbols.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "symbols/read_file.h"

namespace dbtrace::symbols {
namespace {

constexpr size_t kMaxKallsyms = 256U << 20;  // 6 MB are usual
constexpr uint64_t kPage = 4096;
constexpr std::string_view kKernel = "[kernel]";

struct KernelSymbol {
  uint64_t address = 0;
  bool is_code = false;
  std::string_view name;
  std::string_view module = kKernel;
};

std::optional<KernelSymbol> parse_line(std::string_view line) {
  KernelSymbol symbol;
  const char* end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data(), end, symbol.address, 16);
  // " T name", perhaps "\t[module]"
  line.remove_prefix(static_cast<size_t>(stop - line.data()));
  if (error != std::errc() || line.size() < 4 || line[0] != ' ' || line[2] != ' ') {
    return std::nullopt;
  }
  symbol.is_code = std::string_view("tTwW").find(line[1]) != std::string_view::npos;
  line.remove_prefix(3);
  const size_t tab = line.find('\t');
  symbol.name = line.substr(0, tab);
  if (tab != std::string_view::npos && tab + 1 < line.size()) symbol.module = line.substr(tab + 1);
  if (symbol.name.empty()) return std::nullopt;
  return symbol;
}

std::vector<KernelSymbol> parse_lines(std::string_view text) {
  std::vector<KernelSymbol> symbols;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (const auto symbol = parse_line(text.substr(0, end))) symbols.push_back(*symbol);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  // Code first, so that an entry that only marks the same place comes after it.
  std::stable_sort(symbols.begin(), symbols.end(),
                   [](const KernelSymbol& a, const KernelSymbol& b) {
                     return a.address != b.address ? a.address < b.address : a.is_code > b.is_code;
                   });
  return symbols;
}

uint64_t end_of_page(uint64_t address) { return (address | (kPage - 1)) + 1; }

// `next` is the symbol at the next higher address, if there is one.
uint64_t end_of(const KernelSymbol& symbol, const KernelSymbol* next) {
  const bool continues = next != nullptr && next->is_code && next->module == symbol.module;
  if (continues) return next->address;
  const uint64_t end = std::max(end_of_page(symbol.address), symbol.address);
  return next == nullptr ? end : std::min(end, next->address);
}

}  // namespace

Result<KernelSymbols> KernelSymbols::read() {
  const auto text = read_file("/proc/kallsyms", kMaxKallsyms);
  if (!text) return tl::unexpected(text.error());
  return parse(*text);
}

Result<KernelSymbols> KernelSymbols::parse(std::string_view text) {
  const std::vector<KernelSymbol> symbols = parse_lines(text);
  if (symbols.empty() || symbols.back().address == 0) {
    return fail("the kernel hides the addresses of its functions",
                "be root with CAP_SYSLOG, or set /proc/sys/kernel/kptr_restrict to 0 or 1");
  }
  std::vector<NamedRanges::Range> functions;
  std::vector<NamedRanges::Range> modules;
  for (size_t i = 0, next = 0; i < symbols.size(); ++i) {
    const KernelSymbol& symbol = symbols[i];
    while (next < symbols.size() && symbols[next].address <= symbol.address) ++next;
    if (!symbol.is_code || symbol.address == 0) continue;
    const uint64_t end = end_of(symbol, next < symbols.size() ? &symbols[next] : nullptr);
    functions.push_back({.start = symbol.address, .end = end, .name = symbol.name, .tier = 0});
    const bool continues = !modules.empty() && modules.back().name == symbol.module &&
                           modules.back().end >= symbol.address;
    if (continues) {
      modules.back().end = std::max(modules.back().end, end);
    } else {
      modules.push_back({.start = symbol.address, .end = end, .name = symbol.module, .tier = 0});
    }
  }
  KernelSymbols result;
  auto flat_functions = NamedRanges::build(std::move(functions), Overlap::Innermost);
  auto flat_modules = NamedRanges::build(std::move(modules), Overlap::Innermost);
  if (!flat_functions) return tl::unexpected(flat_functions.error());
  if (!flat_modules) return tl::unexpected(flat_modules.error());
  result.functions_ = std::move(*flat_functions);
  result.modules_ = std::move(*flat_modules);
  return result;
}

std::optional<KernelSymbols::Hit> KernelSymbols::find(uint64_t address) {
  const auto function = functions_.find(address);
  if (!function) return std::nullopt;
  const auto module = modules_.find(address);
  return Hit{.function = functions_.short_name(function->id),
             .raw = function->raw,
             .module = module ? module->raw : kKernel,
             .offset = address - function->start};
}

}  // namespace dbtrace::symbols
