#include "src/commands/top/controls.h"

#include <algorithm>
#include <utility>

#include "src/output/utf8.h"

namespace dbtrace::commands::top {
namespace {

using What = Action::What;

constexpr size_t kLongestFilter = 256;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool contains(std::string_view text, std::string_view part) {
  const auto equal = [](char a, char b) { return lower(a) == lower(b); };
  return !std::ranges::search(text, part, equal).empty() || part.empty();
}

void erase_last_character(std::string& text) {
  while (!text.empty() && (static_cast<uint8_t>(text.back()) & 0xc0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

kinds::SortKey next(kinds::SortKey key) {
  return key == kinds::SortKey::Errors ? kinds::SortKey::Total
                                       : static_cast<kinds::SortKey>(static_cast<uint8_t>(key) + 1);
}

}  // namespace

size_t Controls::row_of_selected() const {
  return selected_ ? static_cast<size_t>(std::ranges::find(rows_, *selected_) - rows_.begin()) : 0;
}

void Controls::apply(const Action& action, const TopState& state, size_t room) {
  if (typing()) return type(action, state);
  switch (action.what) {
    case What::Show:
      return show(action.page);
    case What::Up:
    case What::Down:
    case What::PageUp:
    case What::PageDown:
    case What::First:
    case What::Last:
      return page_ == Page::Kinds ? move_selection(action.what, room) : move(action.what, room);
    case What::Open:
      if (page_ != Page::Kinds || rows_.empty()) return;
      if (!selected_) selected_ = rows_.front();
      return show(Page::Kind);
    case What::Back:
      return back(state);
    case What::Sort:
      sort_ = action.sort;
      return order(state);
    case What::NextSort:
      sort_ = next(sort_);
      return order(state);
    case What::SwitchOver:
      over_ = over_ == Over::Run ? Over::Interval : Over::Run;
      return order(state);
    case What::Pause:
      paused_ = !paused_;
      return;
    case What::Filter:
      show(Page::Kinds);
      before_typing_ = filter_;
      return;
    default:
      return;
  }
}

void Controls::show(Page page) {
  page_ = page;
  scroll_ = 0;
}

void Controls::type(const Action& action, const TopState& state) {
  if (action.what == What::Type && filter_.size() < kLongestFilter)
    output::append_character(filter_, action.character);
  else if (action.what == What::Erase)
    erase_last_character(filter_);
  else if (action.what == What::Back)
    filter_ = *std::exchange(before_typing_, std::nullopt);
  else if (action.what == What::Open)
    before_typing_.reset();
  order(state);
}

void Controls::move(What what, size_t room) {
  const size_t page = std::max<size_t>(room, 1);
  if (what == What::Up) scroll_ -= std::min<size_t>(scroll_, 1);
  if (what == What::Down) ++scroll_;
  if (what == What::PageUp) scroll_ -= std::min(scroll_, page);
  if (what == What::PageDown) scroll_ += page;
  if (what == What::First) scroll_ = 0;
  if (what == What::Last) scroll_ = SIZE_MAX / 2;  // until limit_scroll()
}

void Controls::move_selection(What what, size_t room) {
  if (rows_.empty()) return;
  const size_t last = rows_.size() - 1;
  const size_t page = std::max<size_t>(room, 1);
  size_t row = row_of_selected();
  if (!selected_) {
    row = what == What::Last ? last : 0;
  } else {
    if (what == What::Up) row -= std::min<size_t>(row, 1);
    if (what == What::Down) ++row;
    if (what == What::PageUp) row -= std::min(row, page);
    if (what == What::PageDown) row += page;
    if (what == What::First) row = 0;
    if (what == What::Last) row = last;
  }
  selected_ = rows_[std::min(row, last)];
}

void Controls::back(const TopState& state) {
  if (page_ != Page::Kinds) return show(Page::Kinds);
  if (selected_)
    selected_.reset();
  else
    filter_.clear();
  order(state);
}

bool Controls::is_row(uint32_t kind, const TopState& state) const {
  const kinds::Kind& what = state.kind(kind);
  return (kind == selected_ || state.is_alive(kind, over_)) &&
         (contains(what.text, filter_) || contains(what.id, filter_));
}

void Controls::order(const TopState& state) {
  std::vector<kinds::Ranked> ranked;
  for (uint32_t kind = 0; kind < state.kinds(); ++kind)
    if (is_row(kind, state)) ranked.push_back({kind, &state.sums(kind, over_)});
  kinds::sort(ranked, sort_);
  rows_.resize(ranked.size());
  std::ranges::transform(ranked, rows_.begin(), &kinds::Ranked::kind);
  if (selected_ && row_of_selected() == rows_.size()) {
    selected_.reset();
    if (page_ == Page::Kind) show(Page::Kinds);
  }
}

void Controls::refresh(const TopState& state) {
  if (!selected_) return order(state);
  for (uint32_t kind = 0; kind < state.kinds(); ++kind)
    if (is_row(kind, state) && std::ranges::find(rows_, kind) == rows_.end()) rows_.push_back(kind);
}

void Controls::start_over() {
  selected_.reset();
  rows_.clear();
  if (page_ == Page::Kind) show(Page::Kinds);
}

}  // namespace dbtrace::commands::top
