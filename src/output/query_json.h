// A query's members in JSON. They are always the same and in the same order; what could not
// be had is null. Further members appear only when they have something to say:
// "<name>_base64", "query_unreadable", "redacted", "is_fingerprint", "running", where a statement
// belongs when statements are traced, and where the time went when that is asked for
// (budget_json.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/output/clock_text.h"
#include "src/output/json_writer.h"
#include "src/output/shown.h"

namespace dbtrace::output {

// Not for use by several threads at once.
class QueryJson {
 public:
  // `budget`: whether to say where the time went.
  explicit QueryJson(bool budget) : budget_(budget) {}

  // Appends them to the object, which writes to `out`.
  void members(const Shown& shown, JsonObject& object, std::string& out);
  // A time since the Unix epoch as RFC 3339 has it.
  void time(std::string_view key, uint64_t ns, JsonObject& object, std::string& out);

 private:
  bool budget_;
  ClockText clock_{Zone::Utc, "%Y-%m-%dT%H:%M:%S"};
};

}  // namespace dbtrace::output
