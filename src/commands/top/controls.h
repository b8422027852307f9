// What the user has chosen to see: page, order, rows, filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/commands/top/action.h"
#include "src/commands/top/top_state.h"

namespace dbtrace::commands::top {

// A row is a kind. While none is selected, the rows are put in order at every refresh.
// While one is, they stay where they are, so that nothing moves under the user's eyes;
// kinds that come are added at the end. Another order, time or filter orders them anew,
// and the selection stays with its kind.
class Controls {
 public:
  explicit Controls(kinds::SortKey sort = kinds::SortKey::Total, Page page = Page::Kinds)
      : page_(page), sort_(sort) {}

  // Everything but Quit, StartOver, Redraw, Suspend and the steps, which are somebody else's.
  // `room`: how many rows or lines a page has.
  void apply(const Action& action, const TopState& state, size_t room);
  // After every TopState::end_interval().
  void refresh(const TopState& state);
  // The numbers of kinds mean nothing any more.
  void start_over();
  // How far the page that was drawn can be scrolled.
  void limit_scroll(size_t most) { scroll_ = scroll_ < most ? scroll_ : most; }

  [[nodiscard]] Page page() const { return page_; }
  [[nodiscard]] kinds::SortKey sort() const { return sort_; }
  [[nodiscard]] Over over() const { return over_; }
  [[nodiscard]] bool paused() const { return paused_; }
  [[nodiscard]] const std::string& filter() const { return filter_; }
  [[nodiscard]] bool typing() const { return before_typing_.has_value(); }
  [[nodiscard]] const std::vector<uint32_t>& rows() const { return rows_; }
  // A kind that is among the rows. Always there on Page::Kind.
  [[nodiscard]] std::optional<uint32_t> selected() const { return selected_; }
  [[nodiscard]] size_t row_of_selected() const;
  // The first line of the other pages.
  [[nodiscard]] size_t scroll() const { return scroll_; }

 private:
  void show(Page page);
  void type(const Action& action, const TopState& state);
  void move(Action::What what, size_t room);
  void move_selection(Action::What what, size_t room);
  void back(const TopState& state);
  void order(const TopState& state);
  [[nodiscard]] bool is_row(uint32_t kind, const TopState& state) const;

  Page page_;
  kinds::SortKey sort_;
  Over over_ = Over::Interval;
  bool paused_ = false;
  std::string filter_;
  std::optional<std::string> before_typing_;  // the filter
  std::vector<uint32_t> rows_;
  std::optional<uint32_t> selected_;
  size_t scroll_ = 0;
};

}  // namespace dbtrace::commands::top
