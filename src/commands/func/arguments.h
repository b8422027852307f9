// Arguments of traced calls: "2:str" as a person types it, what the kernel is told
// of it, and the value that comes back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpf/func_event.h"
#include "src/code/trace.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// Where a value is: an argument, or what lies `offset` bytes behind the place that
// it points to.
struct ArgumentPlace {
  int position = 0;               // from 0; a member function's object counts
  std::optional<int32_t> offset;  // of "1+8"

  friend bool operator==(const ArgumentPlace&, const ArgumentPlace&) = default;
};

struct Argument {
  enum class Type { Int, Uint, Long, Ulong, Hex, Str };

  std::string label;  // "2", "1+8"
  ArgumentPlace place;
  Type type = Type::Int;
  std::optional<ArgumentPlace> length;  // of a Str: else up to a NUL

  friend bool operator==(const Argument&, const Argument&) = default;
};

// PLACE:TYPE with PLACE = POSITION or POSITION+OFFSET, and TYPE = int, uint (4
// bytes), long, ulong, hex (8 bytes), str or str:PLACE-OF-ITS-LENGTH. Errors say
// what would do.
[[nodiscard]] Result<Argument> parse_argument(std::string_view typed);

[[nodiscard]] dbt_func_argument kernel_argument(const Argument& argument, code::Arch arch);

// Why `argument` of a function with these parameters will not be what is asked
// for; "" when nothing is to be said. Names do not tell of a member function's
// object or of a hidden result, so this is advice only.
[[nodiscard]] std::string doubt(const Argument& argument, std::string_view function,
                                std::span<const std::string> parameters);

// A call event taken apart.
struct Call {
  uint32_t function = 0;
  uint64_t time_ns = 0;  // CLOCK_MONOTONIC
  uint32_t pid = 0;
  uint32_t tid = 0;
  struct Value {
    uint64_t number = 0;         // the number, or a text's address
    std::string_view text = {};  // points into the event
    bool is_null = false;
    bool unreadable = false;
    bool cut = false;
  };
  std::vector<Value> values;
};

// nullopt when the bytes are no call with so many arguments.
[[nodiscard]] std::optional<Call> decode_call(std::span<const std::byte> event, size_t arguments);

// The value for a person: 42, 0x2a, "SELECT 1", null, <unreadable 0x2a>.
void append_value(std::string& out, const Argument& argument, const Call::Value& value);
// As JSON: a number, a string (hex, too), or null. Text that is not UTF-8 loses
// the bytes that are not.
void append_json_value(std::string& out, const Argument& argument, const Call::Value& value);

}  // namespace dbtrace::commands
