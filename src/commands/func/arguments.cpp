#include "src/commands/func/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "src/output/escape.h"
#include "src/output/json_writer.h"
#include "src/output/redact.h"

namespace dbtrace::commands {
namespace {

constexpr int kLastPosition = 15;
constexpr int32_t kLargestOffset = 1 << 20;

struct TypeName {
  std::string_view name;
  Argument::Type type;
};
constexpr std::array<TypeName, 6> kTypes = {{{"int", Argument::Type::Int},
                                             {"uint", Argument::Type::Uint},
                                             {"long", Argument::Type::Long},
                                             {"ulong", Argument::Type::Ulong},
                                             {"hex", Argument::Type::Hex},
                                             {"str", Argument::Type::Str}}};

tl::unexpected<Error> not_an_argument(std::string_view typed) {
  return fail(fmt::format("'{}' is no argument to show", typed),
              "write it as 0:int, 1:uint, 2:long, 3:ulong, 4:hex, 5:str or 2:str:3 (as long as "
              "argument 3 says), counted from 0; 1+8:ulong is what lies 8 bytes behind where "
              "argument 1 points to");
}

std::optional<int32_t> parse_number(std::string_view text, int32_t most) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  int32_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number > most)
    return std::nullopt;
  return number;
}

std::optional<ArgumentPlace> parse_place(std::string_view text) {
  const size_t plus = text.find('+');
  const auto position = parse_number(text.substr(0, plus), kLastPosition);
  if (!position) return std::nullopt;
  ArgumentPlace place{*position, std::nullopt};
  if (plus != std::string_view::npos) {
    place.offset = parse_number(text.substr(plus + 1), kLargestOffset);
    if (!place.offset) return std::nullopt;
  }
  return place;
}

// Integer arguments by the numbers that registers have in instructions: System V
// ABI, AMD64 supplement, 3.2.3 (rdi, rsi, rdx, rcx, r8, r9), and Procedure Call
// Standard for the Arm 64-bit Architecture, 6.8 (x0 to x7). Further ones lie on the
// stack, on x86-64 above the return address.
constexpr std::array<dbt_u8, 6> kX86Arguments = {7, 6, 2, 1, 8, 9};
constexpr dbt_u8 kX86StackPointer = 4;
constexpr int kAArch64Arguments = 8;
constexpr dbt_u8 kAArch64StackPointer = 31;

dbt_func_source source_of(const ArgumentPlace& place, dbt_u8 width, code::Arch arch) {
  const bool x86 = arch == code::Arch::X86_64;
  const int in_registers = x86 ? static_cast<int>(kX86Arguments.size()) : kAArch64Arguments;
  dbt_func_source source{};
  source.width = width;
  if (place.position < in_registers) {
    source.reg = x86 ? kX86Arguments.at(static_cast<size_t>(place.position))
                     : static_cast<dbt_u8>(place.position);
  } else {
    source.reg = x86 ? kX86StackPointer : kAArch64StackPointer;
    source.offset[source.loads++] = 8 * (place.position - in_registers) + (x86 ? 8 : 0);
  }
  if (place.offset) source.offset[source.loads++] = *place.offset;
  return source;
}

// Passwords in statements are not shown, here as everywhere.
std::string shown_text(std::string_view text) {
  std::string redacted;
  return output::redact(text, redacted) ? redacted : std::string(text);
}

bool is_narrow(Argument::Type type) {
  return type == Argument::Type::Int || type == Argument::Type::Uint;
}

std::string number_text(Argument::Type type, uint64_t number) {
  switch (type) {
    case Argument::Type::Int:
      return fmt::format("{}", static_cast<int32_t>(number));
    case Argument::Type::Uint:
      return fmt::format("{}", static_cast<uint32_t>(number));
    case Argument::Type::Long:
      return fmt::format("{}", static_cast<int64_t>(number));
    case Argument::Type::Ulong:
      return fmt::format("{}", number);
    case Argument::Type::Hex:
    case Argument::Type::Str:
      break;
  }
  return fmt::format("{:#x}", number);
}

}  // namespace

Result<Argument> parse_argument(std::string_view typed) {
  const size_t colon = typed.find(':');
  if (colon == std::string_view::npos) return not_an_argument(typed);
  const auto place = parse_place(typed.substr(0, colon));
  const std::string_view rest = typed.substr(colon + 1);
  const size_t second = rest.find(':');
  const auto type = std::ranges::find(kTypes, rest.substr(0, second), &TypeName::name);
  if (!place || type == kTypes.end()) return not_an_argument(typed);
  Argument argument{std::string(typed.substr(0, colon)), *place, type->type, std::nullopt};
  if (second != std::string_view::npos) {
    argument.length = parse_place(rest.substr(second + 1));
    if (!argument.length || argument.type != Argument::Type::Str) return not_an_argument(typed);
  }
  return argument;
}

dbt_func_argument kernel_argument(const Argument& argument, code::Arch arch) {
  dbt_func_argument kernel{};
  kernel.value = source_of(argument.place, is_narrow(argument.type) ? 4 : 8, arch);
  if (argument.type != Argument::Type::Str) {
    kernel.kind = DBT_FUNC_NUMBER;
  } else if (argument.length) {
    kernel.kind = DBT_FUNC_BYTES;
    kernel.length = source_of(*argument.length, 4, arch);
  } else {
    kernel.kind = DBT_FUNC_STRING;
  }
  return kernel;
}

std::string doubt(const Argument& argument, std::string_view function,
                  std::span<const std::string> parameters) {
  const bool follows = argument.type == Argument::Type::Str || argument.place.offset;
  const auto position = static_cast<size_t>(argument.place.position);
  if (!follows || position >= parameters.size()) return {};
  const std::string& parameter = parameters[position];
  if (parameter.find_first_of("*&") != std::string::npos) return {};
  return fmt::format("argument {} of {} seems to be no pointer, but: {}", position, function,
                     parameter);
}

std::optional<Call> decode_call(std::span<const std::byte> event, size_t arguments) {
  constexpr size_t kHead = offsetof(dbt_func_call_event, data);
  if (event.size() < kHead || arguments > DBT_FUNC_ARGUMENTS) return std::nullopt;
  dbt_func_call_event head;
  std::memcpy(&head, event.data(), kHead);
  // The ring hands out what was sent, rounded up.
  if (head.size < kHead || head.size > event.size()) return std::nullopt;
  std::string_view rest(reinterpret_cast<const char*>(event.data()) + kHead, head.size - kHead);
  Call call{head.function, head.time_ns, head.tgid, head.tid, {}};
  for (const dbt_func_value& value : std::span(head.values, arguments)) {
    if (value.size > rest.size()) return std::nullopt;
    call.values.push_back({.number = value.number,
                           .text = rest.substr(0, value.size),
                           .is_null = value.state == DBT_FUNC_NULL,
                           .unreadable = value.state == DBT_FUNC_UNREADABLE,
                           .cut = value.cut != 0});
    rest.remove_prefix(value.size);
  }
  return call;
}

void append_value(std::string& out, const Argument& argument, const Call::Value& value) {
  if (value.unreadable) {
    out += fmt::format("<unreadable {:#x}>", value.number);
  } else if (value.is_null) {
    out += "null";
  } else if (argument.type == Argument::Type::Str) {
    out += '"';
    output::append_visible(out, shown_text(value.text));
    out += value.cut ? "\"…" : "\"";
  } else {
    out += number_text(argument.type, value.number);
  }
}

void append_json_value(std::string& out, const Argument& argument, const Call::Value& value) {
  const bool is_text = argument.type == Argument::Type::Str;
  if (value.unreadable || value.is_null) {
    out += "null";
  } else if (is_text || argument.type == Argument::Type::Hex) {
    (void)output::append_json_string(
        out, is_text ? shown_text(value.text) : number_text(argument.type, value.number));
  } else {
    out += number_text(argument.type, value.number);
  }
}

}  // namespace dbtrace::commands
