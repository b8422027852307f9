// What a compiler's suffix says about a function. For the files of this room only.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace dbtrace::symbols {

enum class CloneKind {
  Renamed,   // "" or .lto_priv, .llvm, .__uniq: one function with its parameters intact
  Instance,  // .constprop, .isra, …: arguments may be missing or elsewhere
  Part,      // .part.N: the rest of a function whose beginning was inlined
  Cold,      // .cold: reached by jumps only
};

[[nodiscard]] inline CloneKind clone_kind(std::string_view suffix) {
  static constexpr std::array<std::string_view, 3> kRenamings = {".lto_priv.", ".llvm.",
                                                                 ".__uniq."};
  if (suffix.find(".cold") != std::string_view::npos) return CloneKind::Cold;
  if (suffix.find(".part.") != std::string_view::npos) return CloneKind::Part;
  const bool renamed = suffix.empty() || std::ranges::any_of(kRenamings, [&](auto renaming) {
                         return suffix.starts_with(renaming);
                       });
  return renamed ? CloneKind::Renamed : CloneKind::Instance;
}

}  // namespace dbtrace::symbols
