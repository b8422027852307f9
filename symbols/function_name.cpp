// Takes demangled names apart: one pass from left to right, no recursion.
#include <array>
#include <cctype>

#include "symbols/demangle.h"
#include "symbols/name_outline.h"

namespace dbtrace::symbols {
namespace {

constexpr size_t kNone = std::string_view::npos;
constexpr std::string_view kAnonymousNamespace = "(anonymous namespace)";
constexpr std::string_view kOperator = "operator";

bool is_identifier_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

char closing(char opening) {
  switch (opening) {
    case '(':
      return ')';
    case '<':
      return '>';
    case '[':
      return ']';
    case '{':
      return '}';
    default:
      return 0;
  }
}

// The position after the bracket that closes the one at `start`; kNone when
// there is none. A '<' that is a comparison is given up when the round bracket
// around it closes.
size_t skip_brackets(std::string_view text, size_t start) {
  std::string open;  // the closing brackets that are awaited
  for (size_t i = start; i < text.size(); ++i) {
    const char c = text[i];
    if (closing(c) != 0) {
      open.push_back(closing(c));
    } else if (c == '>') {
      const bool arrow = i > 0 && text[i - 1] == '-';
      if (!arrow && open.back() == '>') open.pop_back();
    } else if (c == ')' || c == ']' || c == '}') {
      while (!open.empty() && open.back() == '>') open.pop_back();
      if (open.empty() || open.back() != c) return kNone;
      open.pop_back();
    }
    if (open.empty()) return i + 1;
  }
  return kNone;
}

// The length of `operator<<`, `operator new[]`, `operator unsigned long` … at
// the start of `text`; 0 when it does not start with an operator's name.
size_t operator_length(std::string_view text) {
  if (!text.starts_with(kOperator) || text.size() == kOperator.size()) return 0;
  const size_t start = kOperator.size();
  const std::string_view rest = text.substr(start);
  if (is_identifier_character(rest[0])) return 0;
  if (rest.starts_with("()") || rest.starts_with("[]")) return start + 2;
  // Longest first; whether a `<` that follows opens template arguments is
  // ambiguous, and the longer operator is the likelier.
  static constexpr std::array<std::string_view, 36> kSymbols = {
      "<=>", "<<=", ">>=", "->*", "<<", ">>", "->", "++", "--", "&&", "||", "==",
      "!=",  "<=",  ">=",  "+=",  "-=", "*=", "/=", "%=", "^=", "&=", "|=", "+",
      "-",   "*",   "/",   "%",   "^",  "&",  "|",  "~",  "!",  "=",  "<",  ">"};
  for (std::string_view symbol : kSymbols) {
    if (rest.starts_with(symbol)) return start + symbol.size();
  }
  if (rest[0] == ',') return start + 1;
  // A word: new, delete, a literal's suffix or the type of a conversion, which
  // reaches to the parameter list.
  size_t end = start;
  while (end < text.size() && text[end] != '(') {
    const bool bracket = text[end] == '<' || text[end] == '[';
    end = bracket ? skip_brackets(text, end) : end + 1;
    if (end == kNone) return text.size();
  }
  return end;
}

// The length of " const", " &&" … at the start of `text`, 0 without one.
size_t qualifier_length(std::string_view text) {
  static constexpr std::array<std::string_view, 6> kQualifiers = {
      " const", " volatile", " restrict", " noexcept", " &&", " &"};
  for (std::string_view qualifier : kQualifiers) {
    if (!text.starts_with(qualifier)) continue;
    const std::string_view rest = text.substr(qualifier.size());
    if (rest.empty() || rest[0] == ' ' || rest.starts_with("::")) return qualifier.size();
  }
  return 0;
}

// One part of a qualified name: `f<int>[abi:x](int) const`.
struct Component {
  size_t start = 0;
  size_t name_end = kNone;    // where template arguments, tags or parameters begin
  size_t parameters = kNone;  // the "(" of its parameter list
  size_t parameters_end = kNone;
  bool is_closure = false;  // 'lambda', 'unnamed', {lambda(int)#1}

  void end_name(size_t at) {
    if (name_end == kNone) name_end = at;
  }
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string> split_parameters(std::string_view list) {
  std::vector<std::string> result;
  size_t start = 0;
  for (size_t i = 0; i < list.size();) {
    if (list[i] == ',') {
      result.emplace_back(trimmed(list.substr(start, i - start)));
      start = ++i;
    } else if (closing(list[i]) != 0) {
      const size_t end = skip_brackets(list, i);
      i = end == kNone ? list.size() : end;
    } else {
      ++i;
    }
  }
  const std::string_view last = trimmed(list.substr(start));
  if (!last.empty()) result.emplace_back(last);
  return result;
}

// The state of the pass: what the qualified name looks like so far.
struct Parser {
  explicit Parser(std::string_view demangled) : text(demangled) {}

  std::string_view text;
  size_t at = 0;
  size_t name_start = 0;  // the start of the qualified name, after a return type
  size_t scope_end = 0;   // the "::" before the current component; name_start without one
  bool is_local = false;
  Component current;

  void start_component(size_t start) {
    at = start;
    current = Component{.start = start};
    if (text.substr(at).starts_with(kAnonymousNamespace)) at += kAnonymousNamespace.size();
    if (const size_t length = operator_length(text.substr(at)); length > 0) {
      at += length;
      current.end_name(at);
    }
  }

  void start_name(size_t start) {
    name_start = scope_end = start;
    is_local = false;
    start_component(start);
  }

  // A part in brackets; false when it is never closed.
  bool bracket() {
    const size_t end = skip_brackets(text, at);
    if (end == kNone) return false;
    if (text[at] == '{' && at == current.start) current.is_closure = true;
    if (text[at] != '{') current.end_name(at);
    if (text[at] == '(') {
      current.parameters = at;
      current.parameters_end = end;
    }
    at = end;
    return true;
  }

  // 'lambda0', 'unnamed': LLVM's way to write what has no name.
  bool quoted() {
    const size_t end = text.find('\'', at + 1);
    if (end == kNone) return false;
    current.is_closure = true;
    at = end + 1;
    return true;
  }

  // After a space: more of a qualifier, or what came before was a return type.
  // False for "vtable for X", "virtual thunk to X", which are no functions' names.
  bool space() {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with(" for ") || rest.starts_with(" to ")) return false;
    if (current.parameters_end != kNone) {
      if (const size_t length = qualifier_length(rest); length > 0) {
        at += length;
        return true;
      }
    }
    start_name(at + 1);
    return true;
  }

  bool run() {
    start_name(0);
    while (at < text.size()) {
      const char c = text[at];
      if (closing(c) != 0) {
        if (!bracket()) return false;
      } else if (c == '\'') {
        if (!quoted()) return false;
      } else if (c == ' ') {
        if (!space()) return false;
      } else if (text.substr(at).starts_with("::")) {
        is_local = is_local || current.is_closure || current.parameters != kNone;
        scope_end = at;
        start_component(at + 2);
      } else {
        ++at;
      }
    }
    is_local = is_local || current.is_closure;
    current.end_name(text.size());
    return current.name_end > current.start;
  }
};

}  // namespace

NameOutline outline(std::string_view demangled) {
  Parser parser(demangled);
  NameOutline result;
  if (!parser.run()) {
    result.qualified = result.base = demangled;
    return result;
  }
  const Component& last = parser.current;
  const bool has_parameters = last.parameters != kNone;
  const size_t end = has_parameters ? last.parameters : demangled.size();
  result.qualified = demangled.substr(parser.name_start, end - parser.name_start);
  result.scope = demangled.substr(parser.name_start, parser.scope_end - parser.name_start);
  result.base = demangled.substr(last.start, last.name_end - last.start);
  result.arguments = demangled.substr(last.name_end, end - last.name_end);
  if (has_parameters) {
    result.parameters = demangled.substr(end, last.parameters_end - end);
    result.qualifiers = trimmed(demangled.substr(last.parameters_end));
  }
  result.is_local = parser.is_local;
  return result;
}

std::vector<std::string_view> split_scope(std::string_view scope) {
  std::vector<std::string_view> parts;
  size_t start = 0;
  for (size_t i = 0; i < scope.size();) {
    if (scope.substr(i).starts_with("::")) {
      parts.push_back(scope.substr(start, i - start));
      start = i += 2;
    } else if (closing(scope[i]) != 0) {
      const size_t end = skip_brackets(scope, i);
      i = end == kNone ? scope.size() : end;
    } else {
      ++i;
    }
  }
  if (start < scope.size()) parts.push_back(scope.substr(start));
  return parts;
}

ScopePart take_apart(std::string_view part) {
  ScopePart result;
  size_t i = part.starts_with(kAnonymousNamespace) ? kAnonymousNamespace.size() : 0;
  while (i < part.size() && part[i] != '<' && part[i] != '[' && part[i] != '(') ++i;
  result.name = part.substr(0, i);
  while (i < part.size()) {
    const size_t end = closing(part[i]) != 0 ? skip_brackets(part, i) : i + 1;
    const std::string_view group = part.substr(i, end == kNone ? kNone : end - i);
    if (part[i] == '<') result.arguments = group;
    if (part[i] == '[') result.tags = group;
    if (part[i] == '(') result.parameters = group;
    i += group.size();
  }
  return result;
}

FunctionName parse_function_name(std::string_view demangled) {
  const NameOutline name = outline(demangled);
  FunctionName result;
  result.full = demangled;
  result.scope = name.scope;
  result.base = name.base;
  result.is_local = name.is_local;
  result.has_parameters = !name.parameters.empty();
  if (result.has_parameters)
    result.parameters = split_parameters(name.parameters.substr(1, name.parameters.size() - 2));
  return result;
}

}  // namespace dbtrace::symbols
