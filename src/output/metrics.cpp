#include "src/output/metrics.h"

#include "src/output/escape.h"
#include "src/output/utf8.h"

namespace dbtrace::output {

std::string label_value(std::string_view value) {
  std::string shown;
  append_visible(shown, value, kMostLabel);
  // Columns are not bytes.
  if (shown.size() > kMostLabel) {
    shown.resize(kMostLabel - kEllipsis.size());
    shown.resize(without_unfinished_character(shown).size());
    shown += kEllipsis;
  }
  return shown;
}

}  // namespace dbtrace::output
