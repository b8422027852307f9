#include "src/commands/top/keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dbtrace::commands::top {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Name = Key::Name;
using What = Action::What;

Key character(char32_t code) { return {Name::Character, code}; }

TEST(KeyDecoder, KnowsCharacters) {
  KeyDecoder decoder;
  EXPECT_THAT(decoder.feed("aé\xe2\x82\xac"),
              ElementsAre(character('a'), character(0xe9), character(0x20ac)));
  EXPECT_THAT(decoder.feed("\r\n\x7f\b\x0c"),
              ElementsAre(Key{Name::Enter}, Key{Name::Enter}, Key{Name::Backspace},
                          Key{Name::Backspace}, character(12)));
  EXPECT_FALSE(decoder.is_waiting());
}

TEST(KeyDecoder, KnowsTheSequencesOfSeveralTerminals) {
  KeyDecoder decoder;
  for (const char* up : {"\x1b[A", "\x1bOA"})
    EXPECT_THAT(decoder.feed(up), ElementsAre(Key{Name::Up})) << up;
  for (const char* f2 : {"\x1bOQ", "\x1b[12~", "\x1b[[B", "\x1b[Q"})
    EXPECT_THAT(decoder.feed(f2), ElementsAre(Key{Name::F2})) << f2;
  for (const char* home : {"\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~"})
    EXPECT_THAT(decoder.feed(home), ElementsAre(Key{Name::Home})) << home;
  EXPECT_THAT(decoder.feed("\x1b[5~\x1b[6~q"),
              ElementsAre(Key{Name::PageUp}, Key{Name::PageDown}, character('q')));
}

TEST(KeyDecoder, PutsPiecesTogether) {
  KeyDecoder decoder;
  EXPECT_THAT(decoder.feed("\x1b"), IsEmpty());
  EXPECT_TRUE(decoder.is_waiting());
  EXPECT_THAT(decoder.feed("["), IsEmpty());
  EXPECT_THAT(decoder.feed("B"), ElementsAre(Key{Name::Down}));
  EXPECT_THAT(decoder.feed("\xe2\x82"), IsEmpty());
  EXPECT_THAT(decoder.feed("\xac"), ElementsAre(character(0x20ac)));
  EXPECT_FALSE(decoder.is_waiting());
}

TEST(KeyDecoder, TakesAnEscapeThatNothingFollows) {
  KeyDecoder decoder;
  EXPECT_THAT(decoder.feed("\x1b"), IsEmpty());
  EXPECT_THAT(decoder.give_up(), ElementsAre(Key{Name::Escape}));
  EXPECT_FALSE(decoder.is_waiting());
  EXPECT_THAT(decoder.feed("\x1b\x1b[A"), ElementsAre(Key{Name::Escape}, Key{Name::Up}));
  EXPECT_THAT(decoder.feed("\x1b["), IsEmpty());
  EXPECT_THAT(decoder.give_up(), ElementsAre(Key{Name::Other}));
}

// Else their tails would be taken for letters.
TEST(KeyDecoder, SwallowsWhatItDoesNotKnow) {
  KeyDecoder decoder;
  EXPECT_THAT(decoder.feed("\x1b[1;5Aj"), ElementsAre(Key{Name::Other}, character('j')));
  EXPECT_THAT(decoder.feed("\x1b[<0;10;20Mj"), ElementsAre(Key{Name::Other}, character('j')));
  EXPECT_THAT(decoder.feed("\x1bqj"), ElementsAre(Key{Name::Other}, character('j')));
  EXPECT_THAT(decoder.feed("\x1bOzj"), ElementsAre(Key{Name::Other}, character('j')));
  EXPECT_THAT(decoder.feed("\xffj"), ElementsAre(Key{Name::Other}, character('j')));
}

TEST(Keys, MoveInARecordingsTime) {
  KeyDecoder decoder;
  EXPECT_THAT(decoder.feed("\x1b[D\x1bOC"), ElementsAre(Key{Name::Left}, Key{Name::Right}));
  EXPECT_EQ(action_of({Name::Left}, false).what, Action::What::StepBack);
  EXPECT_EQ(action_of({Name::Right}, false).what, Action::What::StepOn);
  EXPECT_EQ(action_of(character('<'), false).what, Action::What::ToBegin);
  EXPECT_EQ(action_of(character('>'), false).what, Action::What::ToEnd);
  EXPECT_EQ(action_of(character('<'), true).what, Action::What::Type);
}

TEST(KeyDecoder, KeepsNoEndlessSequence) {
  KeyDecoder decoder;
  (void)decoder.feed("\x1b[" + std::string(100'000, '1'));
  EXPECT_FALSE(decoder.is_waiting());
}

TEST(ActionOf, ReadsKeysByWhatIsGoingOn) {
  EXPECT_EQ(action_of(character('q'), false), Action{What::Quit});
  EXPECT_EQ(action_of(character('q'), true),
            (Action{What::Type, Page::Kinds, kinds::SortKey::Total, 'q'}));
  EXPECT_EQ(action_of({Name::Backspace}, true), Action{What::Erase});
  EXPECT_EQ(action_of({Name::Backspace}, false), Action{What::Back});
  EXPECT_EQ(action_of({Name::F2}, true), (Action{What::Show, Page::Running}));
  EXPECT_EQ(action_of(character('P'), false),
            (Action{What::Sort, Page::Kinds, kinds::SortKey::P99}));
  EXPECT_EQ(action_of(character('Z' - '@'), true), Action{What::Suspend});
  EXPECT_EQ(action_of(character('x'), false), Action{});
  EXPECT_EQ(action_of({Name::Other}, false), Action{});
}

// For terminals without function keys.
TEST(ActionOf, HasALetterForEachPage) {
  const std::pair<char, Name> pages[] = {
      {'1', Name::F1}, {'2', Name::F2}, {'3', Name::F3}, {'4', Name::F4}};
  for (const auto& [digit, key] : pages)
    EXPECT_EQ(action_of(character(static_cast<char32_t>(digit)), false), action_of({key}, false));
  EXPECT_EQ(action_of(character('?'), false), (Action{What::Show, Page::Help}));
}

}  // namespace
}  // namespace dbtrace::commands::top
