#include "symbols/pattern_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "symbols/name_outline.h"
#include "symbols/type_text.h"

namespace dbtrace::symbols {
namespace {

constexpr size_t kNone = std::string_view::npos;
constexpr size_t kMaxTyped = 8192;

bool is_identifier_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

bool is_identifier(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_identifier_character);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Where `operator` begins as a name of its own, whose symbol may be a "*".
size_t operator_start(std::string_view text) {
  constexpr std::string_view kOperator = "operator";
  for (size_t at = 0; (at = text.find(kOperator, at)) != kNone; ++at) {
    const bool starts = at == 0 || (at >= 2 && text.substr(at - 2, 2) == "::");
    const size_t end = at + kOperator.size();
    if (starts && end < text.size() && !is_identifier_character(text[end])) return at;
  }
  return text.size();
}

// A "[…]" that is a set and not "[]", an ABI tag or a clone's suffix.
bool opens_set(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at);
  return !rest.starts_with("[]") && !rest.starts_with("[abi:") && !rest.starts_with("[clone ") &&
         rest.find(']') != kNone;
}

// A "*" or "?" that belongs to no type, or a set.
bool is_glob(std::string_view text) {
  text = text.substr(0, operator_start(text));
  int round = 0;
  int angle = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char before = i == 0 ? ' ' : text[i - 1];
    switch (text[i]) {
      case '(':
        ++round;
        break;
      case ')':
        --round;
        break;
      case '<':
        ++angle;
        break;
      case '>':
        --angle;
        break;
      case '*':
        // Inside brackets it is a pointer, unless a type is missing before it.
        if (round > 0) break;
        if (angle == 0 || before == '<' || before == ',') return true;
        break;
      case '?':
        if (round == 0) return true;
        break;
      case '[':
        if (round == 0 && angle == 0 && opens_set(text, i)) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

std::optional<uint64_t> parse_address(std::string_view text) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return std::nullopt;
  text.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Takes "@V" or "@@V" off the end.
std::optional<TypedVersion> take_version(std::string_view& text) {
  const size_t at = text.find('@');
  if (at == kNone || at == 0) return std::nullopt;
  std::string_view version = text.substr(at + 1);
  text = text.substr(0, at);
  const bool must_be_default = version.starts_with('@');
  if (must_be_default) version.remove_prefix(1);
  return TypedVersion{std::string(version), must_be_default};
}

// Takes ".part.0" or " [clone .part.0]" off the end; what stands in brackets is
// none ("f(...)").
std::string take_suffix(std::string_view& text) {
  constexpr std::string_view kClone = " [clone ";
  if (const size_t at = text.find(kClone); at != kNone && text.ends_with(']')) {
    std::string suffix(text.substr(at + kClone.size()));
    suffix.pop_back();
    text = text.substr(0, at);
    return suffix;
  }
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '<' || text[i] == '[' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == '>' || text[i] == ']' || text[i] == '}') --depth;
    if (text[i] != '.' || depth != 0 || i == 0) continue;
    std::string suffix(text.substr(i));
    text = text.substr(0, i);
    return suffix;
  }
  return {};
}

TypedName::Part typed_part(std::string_view text) {
  const ScopePart part = take_apart(text);
  return {.name = std::string(part.name),
          .arguments = canonical_types(part.arguments),
          .tags = std::string(part.tags),
          .parameters = canonical_types(part.parameters)};
}

TypedName typed_name(std::string_view text) {
  TypedName result;
  result.is_global = text.starts_with("::");
  if (result.is_global) text.remove_prefix(2);
  const NameOutline name = outline(text);
  for (const std::string_view part : split_scope(name.scope))
    result.scope.push_back(typed_part(part));
  // Not through take_apart(): an operator's own brackets are part of its name.
  const ScopePart rest = take_apart(name.arguments);
  result.last = {
      .name = is_identifier(name.base) ? std::string(name.base) : canonical_types(name.base),
      .arguments = canonical_types(rest.arguments),
      .tags = std::string(rest.tags),
      .parameters = canonical_types(name.parameters)};
  result.qualifiers = name.qualifiers;
  return result;
}

// Classes of std that mangled names abbreviate (Sa, Ss, Si, …) and so never
// spell where their constructors are meant.
bool is_abbreviated(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kNames = {
      "allocator", "basic_string", "basic_istream", "basic_ostream", "basic_iostream",
      "string",    "istream",      "ostream",       "iostream"};
  return std::ranges::find(kNames, name) != kNames.end();
}

// Words that a demangler writes and no mangled name spells.
constexpr std::array<std::string_view, 56> kGenerated = {
    "std",        "allocator", "basic_string", "string",       "basic_istream",  "basic_ostream",
    "istream",    "ostream",   "iostream",     "char_traits",  "basic_iostream", "operator",
    "anonymous",  "namespace", "lambda",       "unnamed",      "unsigned",       "signed",
    "short",      "long",      "char",         "double",       "float",          "bool",
    "void",       "wchar_t",   "char8_t",      "char16_t",     "char32_t",       "__int128",
    "const",      "volatile",  "restrict",     "noexcept",     "decltype",       "auto",
    "typename",   "template",  "sizeof",       "alignof",      "typeid",         "throw",
    "delete",     "co_await",  "nullptr_t",    "nullptr",      "true",           "false",
    "vtable",     "virtual",   "thunk",        "block_invoke", "__float128",     "_Float",
    "structured", "requires"};

bool is_sure(std::string_view word) {
  // Numbers are written in many ways: "12ul", "0x1.8p+1".
  static constexpr std::string_view kOfNumbers = "0123456789abcdefABCDEFxXpPulLUe";
  if (word.size() < 3 || word.find_first_not_of(kOfNumbers) == kNone) return false;
  if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) return false;
  return std::ranges::none_of(kGenerated, [&](std::string_view generated) {
    return generated.find(word) != kNone || word.find("lambda") != kNone ||
           word.find("unnamed") != kNone;
  });
}

}  // namespace

std::string needle_of_name(std::string_view base) {
  if (base.starts_with('~')) base.remove_prefix(1);
  return is_identifier(base) && !is_abbreviated(base) ? std::string(base) : std::string();
}

std::string needle_of_glob(std::string_view glob) {
  std::string_view best;
  for (size_t i = 0; i < glob.size();) {
    if (glob[i] == '[') {  // a set, or a tag: neither is sure
      const size_t end = glob.find(']', i + 2);
      i = end == kNone ? glob.size() : end + 1;
      continue;
    }
    size_t end = i;
    while (end < glob.size() && is_identifier_character(glob[end])) ++end;
    const std::string_view word = glob.substr(i, end - i);
    if (word.size() > best.size() && is_sure(word)) best = word;
    i = std::max(end, i + 1);
  }
  return std::string(best);
}

Result<PatternText> read_pattern(std::string_view typed) {
  PatternText text;
  std::string_view rest = trimmed(typed);
  text.typed = rest;
  if (rest.empty()) return fail("the pattern is empty", "type a function's name");
  if (rest.size() > kMaxTyped) return fail("the pattern is too long to be a name");
  using Form = Pattern::Form;
  if (rest.starts_with('/')) {
    if (rest.size() < 3 || !rest.ends_with('/'))
      return fail(fmt::format("{} is no regular expression between two slashes", rest),
                  "for example '/open|close/'");
    text.form = Form::Regex;
    text.name = rest.substr(1, rest.size() - 2);
    return text;
  }
  if ((text.address = parse_address(rest))) {
    text.form = Form::Address;
    return text;
  }
  text.version = take_version(rest);
  if (is_glob(rest)) {
    text.form = Form::Glob;
    text.name = rest;
    text.needle = needle_of_glob(rest);
    return text;
  }
  if (rest.starts_with("_Z")) {
    text.form = Form::Raw;
    text.name = rest;
    text.needle = rest.substr(0, rest.find('.', 1));
    return text;
  }
  text.suffix = take_suffix(rest);
  text.name = rest;
  text.parts = typed_name(rest);
  text.needle = needle_of_name(text.parts.last.name);
  return text;
}

}  // namespace dbtrace::symbols
