#include "src/sql/table_names.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <utility>

#include "src/sql/characters.h"

namespace dbtrace::sql {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> upper) {
  return std::ranges::any_of(upper, [&](std::string_view each) { return equals_word(word, each); });
}

// Between what announces a table and its name.
bool is_modifier(std::string_view word) {
  return is_one_of(word, {"LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED", "IGNORE", "QUICK", "INTO",
                          "IF", "NOT", "EXISTS", "TABLE", "TABLES", "ONLY"});
}

// Reserved: no table's name unless quoted.
bool cannot_be_name(std::string_view word) {
  return is_one_of(word, {"SELECT", "WITH", "VALUES", "LATERAL", "DUAL", "SET", "FROM", "WHERE"});
}

bool ends_list(std::string_view word) {
  return is_one_of(word, {"WHERE", "SET", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION", "EXCEPT",
                          "INTERSECT", "SELECT", "VALUES", "VALUE", "FOR", "INTO", "WINDOW",
                          "PROCEDURE", "RETURNING", "ADD", "RENAME"});
}

class Finder {
 public:
  Finder(std::string_view text, bool cut, const LexerOptions& options)
      : text_(text), cut_(cut), lexer_(text, options) {}

  std::vector<TableName> find() {
    for (Token token = lexer_.next(); token.kind != TokenKind::End; token = lexer_.next())
      take(token);
    settle(false);
    return std::move(tables_);
  }

 private:
  // Of the text between two parentheses, or outside all of them.
  struct Level {
    bool in_list = false;      // of tables: a comma announces another
    bool is_query = true;      // else the arguments of a function: EXTRACT(YEAR FROM d)
    bool in_with = false;      // common table expressions are being named
    bool cte_follows = false;  // the next name is one's
  };
  static constexpr size_t kDeepest = 64;

  Level& level() { return levels_[std::min(depth_, kDeepest - 1)]; }

  void take(const Token& token) {
    const std::string_view word = text_.substr(token.begin, token.end - token.begin);
    if (token.kind == TokenKind::Operator) return take_operator(token.operation);
    if (dot_ && pending_ && is_name(token)) {
      pending_->database = std::move(pending_->table);
      pending_->table = name(token);
      dot_ = false;
      whole_ = !is_cut(token);
      return;
    }
    settle(false);
    if (opened_) {  // the first word in parentheses
      opened_ = false;
      level().is_query |= token.kind == TokenKind::Word && is_one_of(word, {"SELECT", "WITH"});
    }
    if (!is_name(token)) {
      table_follows_ = false;
    } else if (token.kind == TokenKind::QuotedName || token.is_name ||
               (table_follows_ && !is_modifier(word) && !cannot_be_name(word))) {
      take_name(token);
    } else {
      take_keyword(word);
    }
  }

  void take_name(const Token& token) {
    first_ = false;
    if (!table_follows_) {
      if (level().cte_follows) name_cte(name(token));
      return;
    }
    table_follows_ = false;
    pending_.emplace();
    pending_->table = name(token);
    whole_ = !is_cut(token);
  }

  void take_keyword(std::string_view word) {
    if (level().cte_follows && !equals_word(word, "RECURSIVE")) return name_cte(std::string(word));
    const bool first = std::exchange(first_, false);
    if (first) {
      ignored_ = equals_word(word, "SHOW");
      names_one_ = is_one_of(word, {"ALTER", "CREATE"});
    }
    if (first && is_one_of(word, {"INSERT", "REPLACE", "UPDATE", "DESCRIBE", "DESC", "TRUNCATE"})) {
      announce(false);
    } else if (first && is_one_of(word, {"EXPLAIN", "ANALYZE"})) {
      first_ = true;  // the statement behind it
    } else if (first && equals_word(word, "DELETE")) {
      is_delete_ = true;
    } else if (equals_word(word, "WITH")) {
      level().in_with = level().cte_follows = level().is_query;
    } else if (is_one_of(word, {"TABLE", "TABLES"})) {
      announce(false);
    } else if (is_one_of(word, {"JOIN", "STRAIGHT_JOIN"}) ||
               (equals_word(word, "FROM") && level().is_query)) {
      announce(true);
    } else if (equals_word(word, "USING") && is_delete_) {
      announce(true);
      columns_may_follow_ = true;
    } else if (table_follows_ && is_modifier(word)) {
      // Not yet.
    } else {
      table_follows_ = false;
      if (ends_list(word)) level().in_list = false;
      // The statement behind the common table expressions.
      if (level().in_with && is_one_of(word, {"SELECT", "UPDATE", "DELETE"})) {
        level().in_with = false;
        is_delete_ |= equals_word(word, "DELETE");
        if (equals_word(word, "UPDATE")) announce(false);
      }
    }
  }

  void take_operator(uint16_t operation) {
    if (operation == '.' && pending_ && !dot_) {
      dot_ = true;
      return;
    }
    settle(operation == '(' && may_be_function_);
    const bool announced =
        std::exchange(table_follows_, false) && !std::exchange(columns_may_follow_, false);
    switch (operation) {
      case '(':
        ++depth_;
        // Parentheses around tables that are joined are a list like the one outside.
        level() = {.in_list = announced, .is_query = announced};
        table_follows_ = announced;
        opened_ = true;
        return;
      case ')':
        if (depth_ > 0) --depth_;
        break;
      case ',':
        if (level().in_list) table_follows_ = true;
        columns_may_follow_ = false;
        if (level().in_with) level().cte_follows = true;
        break;
      case ';':
        if (depth_ > 0) break;
        levels_ = {};
        first_ = true;
        ignored_ = is_delete_ = names_one_ = false;
        ctes_.clear();
        break;
      default:
        break;
    }
    opened_ = false;
  }

  void announce(bool may_be_function) {
    table_follows_ = true;
    level().in_list = !names_one_;
    may_be_function_ = may_be_function;
    columns_may_follow_ = false;
  }

  void name_cte(std::string name) {
    level().cte_follows = false;
    if (ctes_.size() < kMostTables) ctes_.push_back(std::move(name));
  }

  // Whether a table was named is known from what follows.
  void settle(bool is_function) {
    if (pending_ && !is_function && !dot_ && whole_ && !ignored_ && tables_.size() < kMostTables &&
        std::ranges::find(tables_, *pending_) == tables_.end() &&
        !(pending_->database.empty() && std::ranges::find(ctes_, pending_->table) != ctes_.end()))
      tables_.push_back(std::move(*pending_));
    pending_.reset();
    dot_ = false;
  }

  static bool is_name(const Token& token) {
    return token.kind == TokenKind::Word || token.kind == TokenKind::QuotedName;
  }

  bool is_cut(const Token& token) const {
    return token.unfinished || (cut_ && token.end == text_.size());
  }

  std::string name(const Token& token) const {
    const std::string_view spelled = text_.substr(token.begin, token.end - token.begin);
    if (token.kind == TokenKind::Word || spelled.size() < 2) return std::string(spelled);
    const char quote = spelled.front();
    std::string name;
    for (size_t at = 1; at + 1 < spelled.size(); ++at) {
      name += spelled[at];
      if (spelled[at] == quote) ++at;  // doubled
    }
    return name;
  }

  std::string_view text_;
  bool cut_;
  Lexer lexer_;
  std::vector<TableName> tables_;
  std::vector<std::string> ctes_;
  std::array<Level, kDeepest> levels_{};
  size_t depth_ = 0;
  std::optional<TableName> pending_;  // named, unless what follows tells otherwise
  bool dot_ = false;                  // behind pending_
  bool whole_ = false;                // pending_ was not cut
  bool table_follows_ = false;
  bool may_be_function_ = false;     // not what is in front of a parenthesis
  bool columns_may_follow_ = false;  // a JOIN's USING (…)
  bool opened_ = false;              // a parenthesis, just now
  bool first_ = true;                // the next word is the statement's first
  bool ignored_ = false;             // the statement's tables are not told
  bool names_one_ = false;           // no list of tables
  bool is_delete_ = false;           // USING announces tables
};

}  // namespace

std::vector<TableName> tables_of(std::string_view text, bool cut, const LexerOptions& options) {
  return Finder(text, cut, options).find();
}

}  // namespace dbtrace::sql
