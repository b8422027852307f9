#include "src/commands/top/keys.h"

#include <algorithm>
#include <iterator>

#include "src/output/utf8.h"

namespace dbtrace::commands::top {
namespace {

using Name = Key::Name;
using What = Action::What;

constexpr char kEscape = '\x1b';
// Longer sequences are no keys.
constexpr size_t kLongest = 32;

struct Sequence {
  std::string_view bytes;
  Name name;
};

// Behind the escape.
constexpr Sequence kSequences[] = {
    {"[A", Name::Up},      {"OA", Name::Up},        {"[B", Name::Down},  {"OB", Name::Down},
    {"[D", Name::Left},    {"OD", Name::Left},      {"[C", Name::Right}, {"OC", Name::Right},
    {"[5~", Name::PageUp}, {"[6~", Name::PageDown}, {"[H", Name::Home},  {"OH", Name::Home},
    {"[1~", Name::Home},   {"[7~", Name::Home},     {"[F", Name::End},   {"OF", Name::End},
    {"[4~", Name::End},    {"[8~", Name::End},      {"OM", Name::Enter}, {"OP", Name::F1},
    {"OQ", Name::F2},      {"OR", Name::F3},        {"OS", Name::F4},    {"[11~", Name::F1},
    {"[12~", Name::F2},    {"[13~", Name::F3},      {"[14~", Name::F4},  {"[[A", Name::F1},
    {"[[B", Name::F2},     {"[[C", Name::F3},       {"[[D", Name::F4},   {"[P", Name::F1},
    {"[Q", Name::F2},      {"[R", Name::F3},        {"[S", Name::F4},
};

bool is_within(char byte, char first, char last) { return byte >= first && byte <= last; }

// The length of the sequence that begins at the front, the escape included; 0: it goes on.
size_t sequence_length(std::string_view bytes) {
  if (bytes.size() < 2) return 0;
  if (bytes[1] == 'O') return bytes.size() < 3 ? 0 : 3;
  if (bytes[1] != '[') return 2;  // Alt and a character
  if (bytes.size() > 2 && bytes[2] == '[') return bytes.size() < 4 ? 0 : 4;
  for (size_t at = 2; at < bytes.size(); ++at) {
    if (is_within(bytes[at], '@', '~')) return at + 1;
    if (!is_within(bytes[at], ' ', '?')) return at;  // broken off
    if (at >= kLongest) return at;
  }
  return 0;
}

Key key_of_sequence(std::string_view bytes) {
  const std::string_view tail = bytes.substr(1);
  const auto known = std::ranges::find(kSequences, tail, &Sequence::bytes);
  return {known == std::end(kSequences) ? Name::Other : known->name};
}

Key key_of_character(char32_t code) {
  if (code == '\r' || code == '\n') return {Name::Enter};
  if (code == 0x7f || code == '\b') return {Name::Backspace};
  return {Name::Character, code};
}

// The first key, and how many bytes it took; 0: it is not all there.
size_t take_key(std::string_view bytes, Key& key) {
  if (bytes.front() == kEscape) {
    if (bytes.size() > 1 && bytes[1] == kEscape) {
      key = {Name::Escape};
      return 1;
    }
    const size_t length = sequence_length(bytes);
    if (length) key = key_of_sequence(bytes.substr(0, length));
    return length;
  }
  if (output::without_unfinished_character(bytes).empty()) return 0;
  const output::Character character = output::decode_character(bytes, 0);
  key = character.code == output::kInvalidCharacter ? Key{} : key_of_character(character.code);
  return character.size;
}

struct Letter {
  char32_t character;
  Action action;
};

constexpr Action show(Page page) { return {What::Show, page}; }
constexpr Action sort_by(kinds::SortKey key) { return {What::Sort, Page::Kinds, key}; }

constexpr Letter kLetters[] = {
    {'q', {What::Quit}},
    {'?', show(Page::Help)},
    {'h', show(Page::Help)},
    {'1', show(Page::Kinds)},
    {'2', show(Page::Running)},
    {'3', show(Page::Waits)},
    {'4', show(Page::Io)},
    {'r', show(Page::Running)},
    {'w', show(Page::Waits)},
    {'i', show(Page::Io)},
    {'k', {What::Up}},
    {'j', {What::Down}},
    {'b', {What::PageUp}},
    {'f', {What::PageDown}},
    {'g', {What::First}},
    {'G', {What::Last}},
    {'s', {What::NextSort}},
    {'T', sort_by(kinds::SortKey::Total)},
    {'C', sort_by(kinds::SortKey::Count)},
    {'M', sort_by(kinds::SortKey::Mean)},
    {'P', sort_by(kinds::SortKey::P99)},
    {'X', sort_by(kinds::SortKey::Max)},
    {'I', sort_by(kinds::SortKey::Io)},
    {'E', sort_by(kinds::SortKey::Errors)},
    {'o', {What::SwitchOver}},
    {'p', {What::Pause}},
    {' ', {What::Pause}},
    {'/', {What::Filter}},
    {'z', {What::StartOver}},
    {',', {What::StepBack}},
    {'.', {What::StepOn}},
    {'[', {What::MinuteBack}},
    {']', {What::MinuteOn}},
    {'<', {What::ToBegin}},
    {'>', {What::ToEnd}},
    {'L' - '@', {What::Redraw}},
    {'Z' - '@', {What::Suspend}},
};

Action action_of_character(char32_t character, bool typing) {
  constexpr char32_t kFirstPrintable = ' ';
  if (typing && character >= kFirstPrintable)
    return {What::Type, Page::Kinds, kinds::SortKey::Total, character};
  const auto letter = std::ranges::find(kLetters, character, &Letter::character);
  return letter == std::end(kLetters) ? Action{} : letter->action;
}

}  // namespace

std::vector<Key> KeyDecoder::feed(std::string_view bytes) {
  pending_ += bytes;
  std::vector<Key> keys;
  std::string_view rest = pending_;
  Key key;
  while (!rest.empty()) {
    const size_t length = take_key(rest, key);
    if (length == 0) break;
    keys.push_back(key);
    rest.remove_prefix(length);
  }
  pending_.erase(0, pending_.size() - rest.size());
  return keys;
}

std::vector<Key> KeyDecoder::give_up() {
  const Key key{pending_ == std::string_view(&kEscape, 1) ? Name::Escape : Name::Other};
  pending_.clear();
  return {key};
}

Action action_of(const Key& key, bool typing) {
  switch (key.name) {
    case Name::Character:
      return action_of_character(key.character, typing);
    case Name::Enter:
      return {What::Open};
    case Name::Escape:
      return {What::Back};
    case Name::Backspace:
      return {typing ? What::Erase : What::Back};
    case Name::Up:
      return {What::Up};
    case Name::Down:
      return {What::Down};
    case Name::Left:
      return {What::StepBack};
    case Name::Right:
      return {What::StepOn};
    case Name::PageUp:
      return {What::PageUp};
    case Name::PageDown:
      return {What::PageDown};
    case Name::Home:
      return {What::First};
    case Name::End:
      return {What::Last};
    case Name::F1:
      return show(Page::Kinds);
    case Name::F2:
      return show(Page::Running);
    case Name::F3:
      return show(Page::Waits);
    case Name::F4:
      return show(Page::Io);
    case Name::Other:
      break;
  }
  return {};
}

}  // namespace dbtrace::commands::top
