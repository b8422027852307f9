#include "src/output/shown.h"

#include "src/output/redact.h"
#include "src/output/utf8.h"

namespace dbtrace::output {

ShownText shown_text(const std::string& text, uint64_t length, std::string& redacted) {
  ShownText shown;
  shown.redacted = redact(text, redacted);
  shown.bytes = shown.redacted ? redacted : text;
  shown.visible = shown.bytes;
  if (length > text.size()) {
    shown.visible = without_unfinished_character(shown.bytes);
    shown.missing_bytes = length - text.size() + (shown.bytes.size() - shown.visible.size());
  }
  return shown;
}

}  // namespace dbtrace::output
