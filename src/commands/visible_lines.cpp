#include "src/commands/visible_lines.h"

#include <algorithm>

#include "src/output/escape.h"

namespace dbtrace::commands {

std::string visible_lines(std::string_view text) {
  std::string visible;
  while (!text.empty()) {
    const size_t layout = std::min(text.find_first_not_of(" \n"), text.size());
    visible += text.substr(0, layout);
    text.remove_prefix(layout);
    const size_t word = std::min(text.find_first_of(" \n"), text.size());
    output::append_visible(visible, text.substr(0, word));
    text.remove_prefix(word);
  }
  return visible;
}

}  // namespace dbtrace::commands
