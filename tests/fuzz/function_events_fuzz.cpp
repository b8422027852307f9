// Events in place of those of `dbtrace func --args`: a byte for the number of arguments, one for
// each argument's type, then the event.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/commands/func/arguments.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dbtrace::commands;
  constexpr std::string_view kTyped[] = {"0:int", "1:long", "2:hex", "3:str", "4:ulong", "5:str:1"};
  if (size < 1) return 0;
  const size_t count = data[0] % (DBT_FUNC_ARGUMENTS + 1);
  if (size < 1 + count) return 0;
  std::vector<Argument> arguments;
  for (size_t i = 0; i < count; ++i)
    if (const auto argument = parse_argument(kTyped[data[1 + i] % std::size(kTyped)]))
      arguments.push_back(*argument);
  const auto event = std::as_bytes(std::span(data, size).subspan(1 + count));
  const auto call = decode_call(event, arguments.size());
  std::string out;
  for (size_t i = 0; call && i < arguments.size(); ++i) {
    append_value(out, arguments[i], call->values.at(i));
    append_json_value(out, arguments[i], call->values.at(i));
  }
  // What is typed is a stranger's word, too.
  (void)parse_argument({reinterpret_cast<const char*>(data), size});
  return 0;
}
