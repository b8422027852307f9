// What answers mean, whatever their bodies are.
#include "src/otlp/outcome.h"

#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>

namespace dbtrace::otlp {
namespace {

Outcome outcome(int status, const std::string& body = "") {
  return outcome_of({.status = status, .retry_after = {}, .body = body});
}

// As opentelemetry-proto's collector/metrics/v1/metrics_service.proto has it.
std::string partial_success(int64_t rejected, const std::string& message) {
  std::string body;
  protozero::pbf_writer answer(body);
  protozero::pbf_writer part(answer, 1);
  part.add_int64(1, rejected);
  part.add_string(2, message);
  part.add_string(99, "what comes later");
  part.commit();
  return body;
}

TEST(Outcome, IsTheStatus) {
  for (const int status : {200, 202, 204}) EXPECT_EQ(outcome(status).verdict, Verdict::Taken);
  for (const int status : {429, 502, 503, 504})
    EXPECT_EQ(outcome(status).verdict, Verdict::TryAgain);
  for (const int status : {301, 400, 401, 404, 413, 500, 501})
    EXPECT_EQ(outcome(status).verdict, Verdict::Refused);
}

TEST(Outcome, SaysWhatWasNotTaken) {
  const Outcome partial = outcome(200, partial_success(3, "too \x1b[31mmany\nof them"));
  EXPECT_EQ(partial.verdict, Verdict::Taken);
  EXPECT_EQ(partial.rejected, 3U);
  EXPECT_EQ(partial.message, "too \\x1b[31mmany of them");
  EXPECT_EQ(outcome(200, partial_success(-1, "")).rejected, 0U);
}

TEST(Outcome, IsNotLedAstrayByGarbage) {
  const std::string whole = partial_success(3, "message");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(outcome(200, whole.substr(0, size)).verdict, Verdict::Taken);
  for (const std::string& body :
       {std::string(1000, '\xff'), std::string(1000, '\0'), std::string("<html>"),
        std::string("\x08\x01"), std::string("\x0a\xff\xff\xff\xff\x0f")})
    EXPECT_EQ(outcome(200, body).verdict, Verdict::Taken);
  EXPECT_LT(outcome(200, partial_success(1, std::string(60'000, 'x'))).message.size(), 300U);
}

}  // namespace
}  // namespace dbtrace::otlp
