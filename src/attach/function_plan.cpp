#include "src/attach/function_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "src/code/exits.h"
#include "symbols/demangle.h"

namespace dbtrace::attach {
namespace {

using symbols::FunctionKind;
using symbols::Location;
using symbols::SymbolName;

// Names in one line of a message.
constexpr size_t kMaxNames = 5;

// Without them, a function and its clones would have the same name.
std::string full_name(const SymbolName& name) {
  const bool is_piece = name.kind == FunctionKind::Clone || name.kind == FunctionKind::Part ||
                        name.kind == FunctionKind::Cold;
  std::string full = name.full;
  if (is_piece) full += fmt::format(" [{}]", symbols::clone_suffix(name.raw));
  if (!name.version.empty() && !name.is_default_version) full += "@" + name.version;
  return full;
}

// Constructors and destructors have variants of one name.
void make_unique(std::vector<PlannedFunction>& functions) {
  std::map<std::string_view, size_t> times;
  for (const PlannedFunction& function : functions) ++times[function.name];
  std::vector<bool> repeated;
  for (const PlannedFunction& function : functions) repeated.push_back(times[function.name] > 1);
  for (size_t i = 0; i < functions.size(); ++i)
    if (repeated[i]) functions[i].name += fmt::format(" at {:#x}", functions[i].address);
}

dbt_func_exit kernel_exit(const code::Exit& exit, std::span<const code::Part> parts,
                          uint32_t function) {
  dbt_func_exit kernel{};
  kernel.address = exit.address;
  kernel.begin = parts[0].address;
  kernel.size = static_cast<dbt_u32>(parts[0].bytes.size());
  if (parts.size() > 1) {
    kernel.cold_begin = parts[1].address;
    kernel.cold_size = static_cast<dbt_u32>(parts[1].bytes.size());
  }
  kernel.function = function;
  kernel.condition = exit.condition;
  static_assert(code::Exit::Computation::kNone == DBT_FUNC_NO_REGISTER);
  kernel.base = exit.to.base;
  kernel.index = exit.to.index;
  kernel.scale = exit.to.scale;
  kernel.in_memory = exit.to.in_memory;
  kernel.displacement = exit.to.displacement;
  switch (exit.kind) {
    case code::Exit::Kind::Return:
    case code::Exit::Kind::Jump:
      kernel.kind = DBT_FUNC_LEAVES;
      break;
    case code::Exit::Kind::Branch:
      kernel.kind = DBT_FUNC_LEAVES_IF;
      break;
    case code::Exit::Kind::ComputedJump:
      kernel.kind = DBT_FUNC_LEAVES_TO;
      break;
  }
  return kernel;
}

class Planner {
 public:
  Planner(symbols::Finder& finder, code::Arch arch, const FunctionPlanOptions& options)
      : finder_(finder), options_(options) {
    plan_.arch = arch;
    if (options.durations) find_cold_parts();
  }

  void add(const Location& location) {
    const std::string name = full_name(location.names.front());
    PlannedFunction function;
    if (auto planned = plan(location, function); !planned) {
      attach::add(plan_.not_probed, planned.error().message, name);
      return;
    }
    for (const std::string& text : location.remarks) attach::add(plan_.remarks, text, name);
    function.name = name;
    plan_.functions.push_back(std::move(function));
  }

  Result<FunctionPlan> finish() {
    if (plan_.functions.empty())
      return fail("nothing that matches can be probed", lines(plan_.not_probed));
    make_unique(plan_.functions);
    return std::move(plan_);
  }

 private:
  Result<void> plan(const Location& location, PlannedFunction& function) {
    if (location.names.front().kind == FunctionKind::Address && !options_.trust_addresses)
      return fail(
          "no symbol covers it, and a probe in the middle of an instruction would end the program; "
          "--trust-addresses takes your word");
    auto entry = probe_place(finder_.binary(), location);
    if (!entry) return tl::unexpected(entry.error());
    function.address = location.address;
    function.entry = std::move(*entry);
    const SymbolName& name = location.names.front();
    function.parameters = symbols::parse_function_name(name.full).parameters;
    for (const SymbolName& other : location.names)
      if (const std::string full = full_name(other);
          full != full_name(name) && std::ranges::find(function.also, full) == function.also.end())
        function.also.push_back(full);
    return options_.durations ? find_exits(location, function) : Result<void>{};
  }

  Result<void> find_exits(const Location& location, PlannedFunction& function) {
    if (location.size == 0) return fail("its symbol has no size, so where it ends is not known");
    std::vector<uint8_t> code = finder_.binary().code(location.address, location.size);
    if (code.size() != location.size) return fail("its code is not all in the file");
    std::vector<code::Part> parts = {{location.address, code}};
    std::vector<uint8_t> cold_code;
    if (const Location* cold = cold_part_of(location)) {
      cold_code = finder_.binary().code(cold->address, cold->size);
      parts.push_back({cold->address, cold_code});
    }
    const auto exits = code::find_exits(plan_.arch, parts, function.entry.delta);
    if (!exits) return tl::unexpected(exits.error());
    for (const code::Exit& exit : *exits) {
      const auto offset = finder_.binary().file_offset(exit.address);
      if (!offset) return fail("its code is not all in the file");
      const auto index = static_cast<uint32_t>(plan_.functions.size());
      function.exits.push_back({*offset, kernel_exit(exit, parts, index)});
    }
    return {};
  }

  // By the raw name of their function.
  void find_cold_parts() {
    const auto pattern = symbols::Pattern::parse("_Z*.cold");
    const auto plain = symbols::Pattern::parse("*.cold");
    for (const auto& each : {pattern, plain}) {
      if (!each) continue;
      for (Location& location : finder_.match(*each).locations)
        for (const SymbolName& name : location.names)
          if (std::string_view(name.raw).ends_with(kCold))
            cold_parts_.emplace(name.raw.substr(0, name.raw.size() - kCold.size()), location);
    }
  }

  const Location* cold_part_of(const Location& location) const {
    for (const SymbolName& name : location.names)
      if (const auto found = cold_parts_.find(name.raw); found != cold_parts_.end())
        return &found->second;
    return nullptr;
  }

  static constexpr std::string_view kCold = ".cold";

  symbols::Finder& finder_;
  const FunctionPlanOptions& options_;
  std::map<std::string, Location, std::less<>> cold_parts_;
  FunctionPlan plan_;
};

}  // namespace

Result<FunctionPlan> plan_functions(symbols::Finder& finder, std::vector<Location> locations,
                                    const FunctionPlanOptions& options) {
  const auto arch = arch_of(finder.binary().machine());
  if (!arch)
    return fail(
        fmt::format("{} is for a processor that dbtrace does not know", finder.binary().name()),
        "x86-64 and AArch64 programs can be traced");
  std::ranges::stable_sort(locations, {}, &Location::address);
  const auto repeated = std::ranges::unique(locations, {}, &Location::address);
  locations.erase(repeated.begin(), repeated.end());
  if (locations.size() > options.most)
    return fail(fmt::format("{} functions match, and at most {} are probed at once",
                            locations.size(), options.most),
                "a narrower pattern costs the program less; --max-functions allows more");
  Planner planner(finder, *arch, options);
  for (const Location& location : locations) planner.add(location);
  return planner.finish();
}

void add(std::vector<Remark>& remarks, const std::string& text, const std::string& function) {
  auto same = std::ranges::find(remarks, text, &Remark::text);
  if (same == remarks.end()) same = remarks.insert(remarks.end(), {text, {}});
  same->functions.push_back(function);
}

std::string lines(std::span<const Remark> remarks, std::string_view begin) {
  std::string text;
  for (const Remark& remark : remarks) {
    const std::vector<std::string>& names = remark.functions;
    if (!text.empty()) text += '\n';
    text += begin;
    if (names.size() == 1) {
      text += fmt::format("{}: {}", names.front(), remark.text);
      continue;
    }
    const std::span shown(names.data(), std::min(names.size(), kMaxNames));
    text += fmt::format("{} functions: {}: {}{}", names.size(), remark.text, fmt::join(shown, ", "),
                        shown.size() < names.size() ? ", …" : "");
  }
  return text;
}

}  // namespace dbtrace::attach
