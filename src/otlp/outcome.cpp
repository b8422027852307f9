#include "src/otlp/outcome.h"

#include <algorithm>
#include <array>
#include <protozero/pbf_reader.hpp>

#include "src/otlp/fields.h"
#include "src/output/escape.h"

namespace dbtrace::otlp {
namespace {

constexpr size_t kMostMessage = 200;  // columns

// Throws for what is no message.
void read_partial_success(const std::string& body, Outcome& outcome) {
  protozero::pbf_reader answer(body);
  while (answer.next(response::kPartialSuccess, protozero::pbf_wire_type::length_delimited)) {
    protozero::pbf_reader part = answer.get_message();
    while (part.next()) {
      if (part.tag_and_type() ==
          protozero::tag_and_type(response::kRejected, protozero::pbf_wire_type::varint)) {
        outcome.rejected = static_cast<uint64_t>(std::max<int64_t>(part.get_int64(), 0));
      } else if (part.tag_and_type() ==
                 protozero::tag_and_type(response::kErrorMessage,
                                         protozero::pbf_wire_type::length_delimited)) {
        const auto text = part.get_view();
        outcome.message.clear();
        output::append_visible(outcome.message, {text.data(), text.size()}, kMostMessage);
      } else {
        part.skip();
      }
    }
  }
}

}  // namespace

Outcome outcome_of(const http::Answer& answer) {
  constexpr std::array kTryAgain = {429, 502, 503, 504};
  constexpr int kSuccess = 2;
  if (answer.status / 100 == kSuccess) {
    Outcome outcome{.verdict = Verdict::Taken, .message = {}};
    try {
      read_partial_success(answer.body, outcome);
    } catch (const protozero::exception&) {
      // Taken all the same.
    }
    return outcome;
  }
  const bool again = std::ranges::find(kTryAgain, answer.status) != kTryAgain.end();
  return {.verdict = again ? Verdict::TryAgain : Verdict::Refused, .message = {}};
}

}  // namespace dbtrace::otlp
