// What a user can do.
#pragma once

#include <cstdint>

#include "src/kinds/order.h"

namespace dbtrace::commands::top {

enum class Page : uint8_t { Kinds, Kind, Running, Waits, Io, Help };

struct Action {
  enum class What : uint8_t {
    Nothing,
    Show,  // `page`
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    Open,  // the selected row; while typing: accept the text
    Back,  // one step; while typing: as it was before
    Sort,  // by `sort`
    NextSort,
    SwitchOver,  // from the interval to the run and back
    Pause,       // or go on
    Filter,      // begin typing
    Type,        // `character`
    Erase,       // the last character
    StartOver,   // count from zero
    // In a recording's time, by an interval, by a minute, to the ends.
    StepBack,
    StepOn,
    MinuteBack,
    MinuteOn,
    ToBegin,
    ToEnd,
    Redraw,
    Suspend,
    Quit,
  };
  What what = What::Nothing;
  Page page = Page::Kinds;
  kinds::SortKey sort = kinds::SortKey::Total;
  char32_t character = 0;
  friend bool operator==(const Action&, const Action&) = default;
};

}  // namespace dbtrace::commands::top
