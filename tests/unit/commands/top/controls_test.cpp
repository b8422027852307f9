#include "src/commands/top/controls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/commands/top/queries.h"

namespace dbtrace::commands::top {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using What = Action::What;

constexpr size_t kRoom = 2;

class ControlsTest : public ::testing::Test {
 protected:
  ControlsTest() { interval({{"select a", 300}, {"select b", 200}, {"select c", 100}}); }
  // An interval with these queries: text and duration.
  void interval(const std::vector<std::pair<std::string, uint64_t>>& queries) {
    for (const auto& [text, ns] : queries) state_.add(query_of(text, ns), now_ns_);
    now_ns_ += kSecond;
    state_.end_interval({.time_ns = now_ns_, .lost = 0, .waits = {}});
    controls_.refresh(state_);
  }
  void act(What what) { act(Action{what}); }
  void act(const Action& action) { controls_.apply(action, state_, kRoom); }
  void type(std::string_view text) {
    for (const char c : text)
      act({What::Type, Page::Kinds, kinds::SortKey::Total, static_cast<char32_t>(c)});
  }
  [[nodiscard]] std::vector<std::string> rows() const {
    std::vector<std::string> texts;
    for (const uint32_t kind : controls_.rows()) texts.push_back(state_.kind(kind).text);
    return texts;
  }
  [[nodiscard]] std::string selected() const {
    return controls_.selected() ? state_.kind(*controls_.selected()).text : "";
  }

  TopState state_ = state_of();
  uint64_t now_ns_ = kBegin_ns;
  Controls controls_;
};

TEST_F(ControlsTest, OrdersRowsAnewWhileNoneIsSelected) {
  EXPECT_THAT(rows(), ElementsAre("SELECT `a`", "SELECT `b`", "SELECT `c`"));
  interval({{"select c", 500}, {"select a", 50}});
  EXPECT_THAT(rows(), ElementsAre("SELECT `c`", "SELECT `a`", "SELECT `b`"));
}

TEST_F(ControlsTest, LeavesRowsWhereTheyAreWhileOneIsSelected) {
  act(What::Down);
  act(What::Down);
  EXPECT_EQ(selected(), "SELECT `b`");
  interval({{"select c", 500}, {"select d", 900}});
  EXPECT_THAT(rows(), ElementsAre("SELECT `a`", "SELECT `b`", "SELECT `c`", "SELECT `d`"));
  EXPECT_EQ(selected(), "SELECT `b`");
  act(What::Back);
  EXPECT_EQ(selected(), "");
  EXPECT_THAT(rows(), ElementsAre("SELECT `d`", "SELECT `c`", "SELECT `a`", "SELECT `b`"));
}

TEST_F(ControlsTest, KeepsTheSelectionWithItsKind) {
  act(What::Down);
  EXPECT_EQ(selected(), "SELECT `a`");
  interval({{"select c", 500}, {"select c", 500}, {"select b", 700}});
  act({What::Sort, Page::Kinds, kinds::SortKey::Count});
  EXPECT_EQ(controls_.sort(), kinds::SortKey::Count);
  EXPECT_THAT(rows(), ElementsAre("SELECT `c`", "SELECT `b`", "SELECT `a`"));
  EXPECT_EQ(selected(), "SELECT `a`");
  EXPECT_EQ(controls_.row_of_selected(), 2U);
  // Also when it has been quiet for long.
  now_ns_ += 100 * kSecond;
  interval({{"select b", 1}});
  act(What::NextSort);
  EXPECT_THAT(rows(), ElementsAre("SELECT `b`", "SELECT `a`"));
  EXPECT_EQ(selected(), "SELECT `a`");
}

TEST_F(ControlsTest, MovesWithinTheRows) {
  act(What::Last);
  EXPECT_EQ(selected(), "SELECT `c`");
  act(What::Down);
  EXPECT_EQ(selected(), "SELECT `c`");
  act(What::PageUp);
  EXPECT_EQ(selected(), "SELECT `a`");
  act(What::Up);
  EXPECT_EQ(selected(), "SELECT `a`");
  act(What::PageDown);
  EXPECT_EQ(selected(), "SELECT `c`");
  act(What::First);
  EXPECT_EQ(selected(), "SELECT `a`");
}

TEST_F(ControlsTest, FiltersWhileTyping) {
  act(What::Down);
  act(What::Filter);
  EXPECT_TRUE(controls_.typing());
  type("`B");
  EXPECT_THAT(rows(), ElementsAre("SELECT `b`"));
  EXPECT_EQ(selected(), "");  // its row has gone
  act(What::Open);
  EXPECT_FALSE(controls_.typing());
  EXPECT_EQ(controls_.filter(), "`B");
  interval({{"select c", 500}, {"select b, b", 1}});
  EXPECT_THAT(rows(), ElementsAre("SELECT `b` , `b`", "SELECT `b`"));

  act(What::Filter);
  act(What::Erase);
  type("x");
  EXPECT_THAT(rows(), IsEmpty());
  act(What::Back);
  EXPECT_EQ(controls_.filter(), "`B");
  act(What::Back);
  EXPECT_EQ(controls_.filter(), "");
  EXPECT_EQ(rows().size(), 4U);
}

TEST_F(ControlsTest, ErasesWholeCharactersOfABoundedFilter) {
  act(What::Filter);
  act({What::Type, Page::Kinds, kinds::SortKey::Total, U'漢'});
  EXPECT_EQ(controls_.filter(), "漢");
  act(What::Erase);
  EXPECT_EQ(controls_.filter(), "");
  act(What::Erase);
  type(std::string(10'000, 'x'));
  EXPECT_EQ(controls_.filter().size(), 256U);
}

TEST_F(ControlsTest, OpensTheSelectedKindOrTheFirst) {
  act(What::Open);
  EXPECT_EQ(controls_.page(), Page::Kind);
  EXPECT_EQ(selected(), "SELECT `a`");
  act(What::Back);
  EXPECT_EQ(controls_.page(), Page::Kinds);
  act(What::Down);
  act(What::Open);
  EXPECT_EQ(selected(), "SELECT `b`");
}

TEST_F(ControlsTest, OpensNothingWhereThereIsNone) {
  controls_ = Controls();
  act(What::Open);
  act(What::Down);
  EXPECT_EQ(controls_.page(), Page::Kinds);
  EXPECT_FALSE(controls_.selected());
}

TEST_F(ControlsTest, ScrollsOtherPagesWithinTheirLength) {
  act({What::Show, Page::Waits});
  act(What::Up);
  EXPECT_EQ(controls_.scroll(), 0U);
  act(What::PageDown);
  act(What::Down);
  EXPECT_EQ(controls_.scroll(), 3U);
  controls_.limit_scroll(2);
  act(What::Up);
  EXPECT_EQ(controls_.scroll(), 1U);
  act(What::Last);
  controls_.limit_scroll(7);
  EXPECT_EQ(controls_.scroll(), 7U);
  act({What::Show, Page::Io});
  EXPECT_EQ(controls_.scroll(), 0U);
}

TEST_F(ControlsTest, SwitchesTheTimeAndPauses) {
  interval({{"select c", 500}});
  EXPECT_THAT(rows(), ElementsAre("SELECT `c`", "SELECT `a`", "SELECT `b`"));
  act(What::SwitchOver);
  EXPECT_EQ(controls_.over(), Over::Run);
  EXPECT_THAT(rows(), ElementsAre("SELECT `c`", "SELECT `a`", "SELECT `b`"));
  interval({{"select b", 1000}});
  EXPECT_THAT(rows(), ElementsAre("SELECT `b`", "SELECT `c`", "SELECT `a`"));
  act(What::Pause);
  EXPECT_TRUE(controls_.paused());
  act(What::Pause);
  EXPECT_FALSE(controls_.paused());
}

TEST_F(ControlsTest, StartsOver) {
  act(What::Open);
  state_ = state_of();
  controls_.start_over();
  EXPECT_EQ(controls_.page(), Page::Kinds);
  EXPECT_FALSE(controls_.selected());
  interval({{"select z", 5}});
  EXPECT_THAT(rows(), ElementsAre("SELECT `z`"));
}

}  // namespace
}  // namespace dbtrace::commands::top
