// How it works. Keywords are looked for everywhere: inside strings and comments
// too, because whether a byte is inside a string depends on settings that are
// not known here, and because statements hide in strings (PREPARE … FROM '…').
// A keyword that introduces a secret begins a region that ends with its clause;
// in a region every literal is redacted, and anything that could be read in two
// ways redacts the rest of the text.
#include "src/output/redact.h"

#include "src/output/sql_words.h"

namespace dbtrace::output {
namespace {

// `word` (in upper case) in any case somewhere in `text`; `rare` is the place of
// its rarest character, which is what is searched for.
bool contains(std::string_view text, std::string_view word, size_t rare) {
  const auto has = [&](char wanted) {
    for (size_t at = text.find(wanted, rare); at != std::string_view::npos;
         at = text.find(wanted, at + 1)) {
      if (equals_word(text.substr(at - rare, word.size()), word)) return true;
    }
    return false;
  };
  const char upper = word[rare];
  const bool letter = upper >= 'A' && upper <= 'Z';
  return has(upper) || (letter && has(static_cast<char>(upper - 'A' + 'a')));
}

// Every way to hold a secret that is known here needs one of these.
bool may_hold_secret(std::string_view text) {
  return contains(text, "PASSW", 4) || contains(text, "IDENTIFIED", 6) || contains(text, "://", 0);
}

// A single word is a name ("mysql_native_password") or a bad password.
bool reads_like_a_clause(std::string_view literal) {
  return literal.find_first_of(" \t\r\n=(/") != std::string_view::npos && may_hold_secret(literal);
}

bool is_quote(char c) { return c == '\'' || c == '"' || c == '`'; }

class Redactor {
 public:
  Redactor(std::string_view text, std::string& out) : text_(text), out_(out), words_(text) {}

  // True when something was redacted.
  bool run();

 private:
  enum class Extent { Clause, Call };  // to the end of the clause, or to the closing parenthesis

  // Each looks at what begins at or follows `at` and returns where to go on.
  size_t after_word(std::string_view word, size_t end);
  size_t region(size_t at, Extent extent);
  size_t word_in_region(size_t at);
  size_t literal(size_t at);

  [[nodiscard]] std::string_view next_word(size_t at) {
    return words_.word_at(words_.gap_at(at).end);
  }
  [[nodiscard]] char next_character(size_t at) {
    const size_t next = words_.gap_at(at).end;
    return next < text_.size() ? text_[next] : '\0';
  }
  void note_object(size_t at);
  [[nodiscard]] size_t literal_end(size_t at) const;
  [[nodiscard]] size_t bare_value_end(size_t at) const;
  size_t replace(size_t begin, size_t end);
  size_t replace_rest(size_t begin) { return replace(begin, text_.size()); }

  std::string_view text_;
  std::string& out_;
  SqlWords words_;
  size_t copied_ = 0;  // of text_, into out_
  bool redacted_ = false;

  // What the text speaks of so far.
  bool accounts_ = false;  // CREATE/ALTER of something that may have a password
  bool tables_ = false;    // CREATE/ALTER TABLE
  bool start_ = false;     // START
  bool replication_ = false;

  // Within a region.
  bool value_expected_ = false;  // behind BY or '='
  bool name_expected_ = false;   // behind FOR, WITH, VIA: a user or plugin, which is no secret
};

size_t Redactor::replace(size_t begin, size_t end) {
  out_.append(text_, copied_, begin - copied_);
  out_ += kRedacted;
  copied_ = end;
  redacted_ = true;
  return end;
}

// Notes what CREATE, ALTER or IMPORT, which end at `at`, are about.
void Redactor::note_object(size_t at) {
  std::string_view object = next_word(at);
  for (std::string_view skipped : {"OR", "REPLACE"}) {
    if (equals_word(object, skipped)) {
      object = next_word(static_cast<size_t>(object.data() + object.size() - text_.data()));
    }
  }
  if (is_one_of(object, {"USER", "ROLE", "GROUP", "SERVER", "SUBSCRIPTION", "FOREIGN"}))
    accounts_ = true;
  if (equals_word(object, "TABLE")) tables_ = true;
}

size_t Redactor::after_word(std::string_view word, size_t end) {
  if (is_one_of(word, {"CREATE", "ALTER", "IMPORT"})) {
    note_object(end);
  } else if (equals_word(word, "START")) {
    start_ = true;
  } else if (is_one_of(word, {"SLAVE", "SLAVES", "REPLICA", "REPLICAS", "GROUP_REPLICATION"})) {
    replication_ = replication_ || start_;
  } else if (is_one_of(word, {"MASTER_PASSWORD", "SOURCE_PASSWORD", "PRIMARY_CONNINFO"})) {
    return region(end, Extent::Clause);
  } else if (is_one_of(word, {"DBLINK", "DBLINK_CONNECT", "DBLINK_CONNECT_U", "DBLINK_EXEC"})) {
    if (next_character(end) == '(') return region(end, Extent::Call);
  } else if (equals_word(word, "IDENTIFIED")) {
    if (accounts_ || words_.gap_at(end).too_fragmented ||
        is_one_of(next_word(end), {"BY", "WITH", "AS", "VIA"})) {
      return region(end, Extent::Clause);
    }
  } else if (equals_word(word, "SET")) {
    const std::string_view next = next_word(end);
    if (equals_word(next, "PASSWORD")) {
      return region(static_cast<size_t>(next.data() + next.size() - text_.data()), Extent::Clause);
    }
  } else if (is_one_of(word, {"PASSWORD", "OLD_PASSWORD"})) {
    const char next = next_character(end);
    if (next == '(') return region(end, Extent::Call);
    if (accounts_ || (replication_ && next == '=') || words_.gap_at(end).too_fragmented) {
      return region(end, Extent::Clause);
    }
  } else if (equals_word(word, "CONNECTION")) {
    const char next = next_character(end);
    if ((accounts_ || tables_) && (next == '=' || is_quote(next))) {
      return region(end, Extent::Clause);
    }
  }
  return end;
}

bool Redactor::run() {
  out_.clear();
  size_t at = 0;
  while (at < text_.size()) {
    if (!is_word_character(text_[at])) {
      ++at;
      continue;
    }
    const std::string_view word = words_.word_at(at);
    const auto end = static_cast<size_t>(word.data() + word.size() - text_.data());
    at = after_word(word, end);
  }
  out_.append(text_, copied_, text_.size() - copied_);
  return redacted_;
}

size_t Redactor::region(size_t at, Extent extent) {
  value_expected_ = false;
  name_expected_ = false;
  bool named = false;  // within the user's name of SET PASSWORD FOR
  int depth = 0;
  while (at < text_.size()) {
    const SqlWords::Gap gap = words_.gap_at(at);
    const std::string_view skipped = text_.substr(gap.begin, gap.end - gap.begin);
    // A comment with quotes may be none: '#' and "--" mean other things elsewhere.
    if (gap.too_fragmented || skipped.find_first_of("'\"`$") != std::string_view::npos) {
      return replace_rest(at);
    }
    at = gap.end;
    if (at == text_.size()) break;

    const char c = text_[at];
    if (is_quote(c)) {
      at = literal(at);
      continue;
    }
    if (is_word_character(c)) {
      at = word_in_region(at);
      named = named || name_expected_;
      continue;
    }
    if (c == '\\' || c == '$') return replace_rest(at);
    if (c == '=') {
      value_expected_ = true;
      name_expected_ = named = false;
    } else if (c == '@' && named) {
      name_expected_ = true;
    } else if (c == '(' || c == ')' || c == ',' || c == ';') {
      if (c == '(') ++depth;
      if (c == ')') --depth;
      const bool called = c == ')' && depth == 0 && extent == Extent::Call;
      if (c == ';' || (c == ',' && depth <= 0) || depth < 0 || called) return at + 1;
      value_expected_ = false;
    } else if (value_expected_) {
      value_expected_ = false;
      at = replace(at, bare_value_end(at));
      continue;
    }
    ++at;
  }
  return at;
}

// A word of a region: a keyword, a part of a literal, or a value without quotes.
size_t Redactor::word_in_region(size_t at) {
  const std::string_view word = words_.word_at(at);
  size_t end = at;
  while (end < text_.size() && is_word_character(text_[end])) ++end;
  const char next = next_character(end);
  const bool touches_quote = end < text_.size() && is_quote(text_[end]);
  const bool introduces = (end - at == 1 && touches_quote) ||                     // N'…', x'…'
                          (text_[at] == '_' && (is_quote(next) || next == '0'));  // _utf8 '…'
  const bool calls = next == '(';
  if (introduces || calls || is_one_of(word, {"PASSWORD", "RANDOM"})) return end;

  const bool is_hex = text_[at] == '0' && at + 1 < end && (text_[at + 1] | 0x20) == 'x';
  if (value_expected_ || is_hex) {
    value_expected_ = false;
    return replace(at, bare_value_end(at));
  }
  value_expected_ = equals_word(word, "BY");
  name_expected_ = is_one_of(word, {"FOR", "WITH", "VIA"});
  return end;
}

// A quoted text of a region.
size_t Redactor::literal(size_t at) {
  const size_t end = literal_end(at);
  const bool is_name = name_expected_ || (text_[at] == '`' && !value_expected_);
  name_expected_ = value_expected_ = false;
  if (end == std::string_view::npos) return replace_rest(at);
  return is_name ? end : replace(at, end);
}

// Where the quoted text at `at` ends; npos when that is not certain.
size_t Redactor::literal_end(size_t at) const {
  const char quote = text_[at];
  for (size_t end = text_.find(quote, at + 1); end != std::string_view::npos;
       end = text_.find(quote, end + 1)) {
    size_t backslashes = 0;
    while (end - 1 - backslashes > at && text_[end - 1 - backslashes] == '\\') ++backslashes;
    if (backslashes % 2 == 1) return std::string_view::npos;
    ++end;
    if (end < text_.size() && text_[end] == quote) continue;
    // What reads like SQL within it, or like the inside of a text behind it,
    // says that this began at a closing quote.
    if (reads_like_a_clause(text_.substr(at, end - at))) return std::string_view::npos;
    const bool separated = end == text_.size() || !(is_word_character(text_[end]) ||
                                                    text_[end] == '\\' || text_[end] == '$');
    return separated ? end : std::string_view::npos;
  }
  return std::string_view::npos;
}

// Where a value without quotes ends: the text's end when there are quotes in it.
size_t Redactor::bare_value_end(size_t at) const {
  size_t end = at + 1;
  while (end < text_.size() && !is_sql_space(text_[end]) && text_[end] != ',' &&
         text_[end] != ';' && text_[end] != ')') {
    if (is_quote(text_[end])) return text_.size();
    ++end;
  }
  return end;
}

}  // namespace

bool redact(std::string_view text, std::string& out) {
  return may_hold_secret(text) && Redactor(text, out).run();
}

}  // namespace dbtrace::output
