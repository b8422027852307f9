// What a server answers, in parts: the first byte says where it is cut.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "src/http/answer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dbtrace::http;
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  Answer answer, beginning;
  const Reading whole = read_answer(bytes, true, answer);
  if (whole == Reading::NeedsMore) std::abort();  // there is no more
  if (whole == Reading::Done && (answer.status < 200 || answer.status > 599)) std::abort();
  if (answer.body.size() > kMostBody) std::abort();

  // What was done before all had come does not become something else.
  const auto reading = read_answer(bytes.substr(0, bytes.size() * data[0] / 256), false, beginning);
  if (reading == Reading::Malformed && whole != Reading::Malformed) std::abort();
  if (reading == Reading::Done && (whole != Reading::Done || beginning.status != answer.status ||
                                   beginning.body != answer.body))
    std::abort();
  return 0;
}
