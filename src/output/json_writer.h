// One JSON object, appended member by member to a buffer. What it writes is
// valid JSON and valid UTF-8 whatever the values hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dbtrace::output {

// Appends `bytes` as a JSON string, quotes included. Bytes that are not valid
// UTF-8 become U+FFFD, one each; false when there were any. Characters that a
// terminal should not get (character_class.h) are written as \u escapes.
bool append_json_string(std::string& out, std::string_view bytes);

// Appends `bytes` in base64 (RFC 4648, padded), without quotes.
void append_base64(std::string& out, std::string_view bytes);

// Keys are written as they are: they need no escapes.
class JsonObject {
 public:
  explicit JsonObject(std::string& out) : out_(out) { out_ += '{'; }
  void end() { out_ += '}'; }

  void number(std::string_view key, uint64_t value);
  void boolean(std::string_view key, bool value);
  void null(std::string_view key);
  // `text` is shown; when that is not valid UTF-8, a second member
  // "<key>_base64" holds all of `exact`.
  void string(std::string_view key, std::string_view text, std::string_view exact);
  void string(std::string_view key, std::string_view text) { string(key, text, text); }
  // Begins a member whose value the caller appends to the buffer.
  void key(std::string_view key);

 private:
  std::string& out_;
  bool empty_ = true;
};

}  // namespace dbtrace::output
