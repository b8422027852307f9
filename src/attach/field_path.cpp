#include "src/attach/field_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "src/code/members.h"

namespace dbtrace::attach {
namespace {

using code::MemberPath;
using profiles::Step;
using profiles::Take;

// Accessors are a few instructions; the longest function that a rule looks into
// reaches its point within this.
constexpr size_t kCodeBytes = 4096;

std::optional<MemberPath> take(const Step& step, std::span<const code::Path> paths,
                               symbols::Finder& finder) {
  switch (step.take) {
    case Take::Returned:
      return code::returned_member(paths, step.object);
    case Take::StoredThrough:
      return code::stored_through(paths, step.argument);
    case Take::FirstStore:
      return code::first_store(paths);
    case Take::StoreOf:
      return code::store_of(paths, step.argument, step.object);
    case Take::ComparedMember:
      return code::compared_variable(paths);
    case Take::ComparedObject:
      return code::compared_object(paths);
    case Take::IndirectArgument:
      return code::call_argument(paths, 0, step.argument, step.object);
    case Take::ReadMember:
      if (step.variable.empty()) return code::read_member(paths, step.argument, step.object);
      if (const auto variable = finder.data_address(step.variable))
        return code::read_through_variable(paths, *variable, step.argument);
      return std::nullopt;
    case Take::FirstComputedStore:
      return code::first_computed_store(paths);
    case Take::CallArgument:
      for (const symbols::Function& callee : finder.functions(step.callee))
        if (auto member = code::call_argument(paths, callee.address, step.argument, step.object))
          return member;
      return std::nullopt;
    case Take::Variable:
    case Take::PointerVariable:
      return std::nullopt;  // no functions
  }
  return std::nullopt;
}

bool fits(const Step& step, const symbols::Function& function) {
  if (step.first_parameter.empty()) return true;
  const auto& parameters = function.name.parameters;
  return !parameters.empty() && parameters.front() == step.first_parameter;
}

Result<MemberPath> find_step(symbols::Finder& finder, code::Arch arch, const Step& step) {
  if (step.take == Take::Variable || step.take == Take::PointerVariable) {
    const auto address = finder.data_address(step.function);
    if (!address) return fail(fmt::format("no variable {}", step.function));
    const auto place = static_cast<int64_t>(*address);
    if (step.take == Take::Variable) return MemberPath{.last = place};
    return MemberPath{.loads = {place}, .last = 0, .width = 4};
  }
  const std::vector<symbols::Function> functions = finder.functions(step.function);
  if (functions.empty()) return fail(fmt::format("no function {}", step.function));
  for (const symbols::Function& function : functions) {
    if (!fits(step, function)) continue;
    const size_t size = function.size ? std::min<size_t>(function.size, kCodeBytes) : kCodeBytes;
    const auto paths =
        code::trace_values(arch, finder.binary().code(function.address, size), function.address);
    if (auto member = take(step, paths, finder)) return *member;
  }
  return fail(fmt::format("the code of {} was not understood", step.function));
}

// Follows `steps` one after the other.
Result<MemberPath> find_steps(symbols::Finder& finder, code::Arch arch,
                              std::span<const Step> steps) {
  std::optional<MemberPath> way;
  for (const Step& step : steps) {
    auto member = find_step(finder, arch, step);
    if (!member) return member;
    way = way ? code::compose(*way, *member) : *member;
    if (!way)
      return fail(fmt::format("{} does not lead from one object to the next", step.function));
  }
  if (!way) return fail("the rule has no steps");
  return *way;
}

Result<dbt_path> to_kernel(const MemberPath& member, profiles::Form form) {
  std::vector<int64_t> offsets = member.loads;
  offsets.push_back(member.last);
  const auto fits_kernel = [](int64_t offset) {
    return offset >= 0 && offset <= std::numeric_limits<dbt_u32>::max();
  };
  if (offsets.size() > DBT_PATH_MAX || !std::ranges::all_of(offsets, fits_kernel))
    return fail("the way to it is too long");

  dbt_path path{};
  path.steps = static_cast<dbt_u8>(offsets.size());
  std::ranges::transform(offsets, path.offset,
                         [](int64_t offset) { return static_cast<dbt_u32>(offset); });
  if (form == profiles::Form::Number) {
    if (member.address_only || (member.width != 4 && member.width != 8))
      return fail("the code does not show a number of 4 or 8 bytes");
    path.width = member.width;
  } else {
    const bool pair = form == profiles::Form::TextPair || member.pair || member.address_only;
    path.length_width = form == profiles::Form::ShortTextPair ? 4 : pair ? 8 : 0;
  }
  return path;
}

std::string origin_of(const profiles::FieldRule& rule) {
  std::string text;
  for (const Step& step : rule.steps)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", step.function);
  for (const Step& step : rule.minus) text += fmt::format(", {}", step.function);
  return text;
}

}  // namespace

Result<FieldPath> find_field(symbols::Finder& finder, code::Arch arch,
                             const profiles::FieldRule& rule) {
  auto member = find_steps(finder, arch, rule.steps);
  if (!member) return tl::unexpected(member.error());
  if (!rule.minus.empty()) {
    const auto part = find_steps(finder, arch, rule.minus);
    if (!part) return tl::unexpected(part.error());
    if (!part->loads.empty()) return fail("the base class is not a part of the object");
    *member = code::from_part(*member, part->last);
  }
  auto path = to_kernel(*member, rule.form);
  if (!path) return tl::unexpected(path.error());
  return FieldPath{*path, origin_of(rule)};
}

}  // namespace dbtrace::attach
