// The colours of flame graphs: warm on the core, cool while waiting. All are light enough for
// dark text on them. One table for all formats.
#pragma once

#include <array>
#include <string_view>

#include "src/model/budget.h"

namespace dbtrace::output {

struct CauseColor {
  model::Cause cause;
  std::string_view css;
};

// In the order of model::Cause.
inline constexpr std::array<CauseColor, model::kCauses> kCauseColors = {{
    {model::Cause::OnCpu, "#f6a55f"},
    {model::Cause::RunQueue, "#ecd06a"},
    {model::Cause::FileRead, "#6cc1bb"},
    {model::Cause::FileWrite, "#79b4e6"},
    {model::Cause::Fsync, "#95a0ea"},
    {model::Cause::Lock, "#c79be0"},
    {model::Cause::Network, "#93cb8e"},
    {model::Cause::Sleep, "#bcc3cb"},
    {model::Cause::Other, "#a7b3c0"},
    {model::Cause::RowLock, "#b487dd"},
    {model::Cause::MetadataLock, "#d48fc4"},
    {model::Cause::TableLock, "#a994e6"},
    {model::Cause::UserLock, "#d7a8e6"},
    {model::Cause::GlobalLock, "#c07fb8"},
    {model::Cause::Binlog, "#8fb4cf"},
    {model::Cause::GroupCommit, "#8aa7dc"},
}};
inline constexpr std::string_view kUnexplainedColor = "#dcdcd6";

[[nodiscard]] constexpr std::string_view css_color(model::Cause cause) {
  return kCauseColors[static_cast<size_t>(cause)].css;
}

static_assert([] {
  for (size_t i = 0; i < kCauseColors.size(); ++i)
    if (kCauseColors[i].cause != static_cast<model::Cause>(i)) return false;
  return true;
}());

}  // namespace dbtrace::output
