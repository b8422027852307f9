// Statements by the thousand that MySQL 9 takes, the same for the same seed: many
// shapes, and for each shape many spellings that are one kind to a server.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>

namespace dbtrace::sql {

class StatementGenerator {
 public:
  // Shape and spelling come of different sources of chance: the same `shape` with
  // another `spelling` gives a statement of other values, lengths of lists, white
  // space, comments and case.
  StatementGenerator(uint64_t shape, uint64_t spelling) : shape_(shape), spelling_(spelling) {}

  // What a statement may hold that pt-query-digest takes for something else.
  enum Oddity : unsigned {
    kQuoteInLineComment = 1,    // -- it's 1
    kBackslashBeforeQuote = 2,  // 'ends with \\'
    kOtherQuoteInString = 4,    // a '"' alone
    kCommentInString = 8,       // '-- none', '/* none */'
    kCapitalHexNumber = 16,     // 0x1F
    kRowEndInString = 32,       // '), ('
  };

  std::string statement();

  // Of the statements so far.
  [[nodiscard]] unsigned oddities() const { return oddities_; }

 private:
  using Choices = std::initializer_list<std::string_view>;

  void select(int depth);
  void select_core(int depth);
  void insert();
  void update();
  void remove();
  void create_table();
  void various();
  void condition(int depth);
  void comparison(int depth);
  void expression(int depth);
  void function(int depth);
  void literal();
  void string_literal();
  void value_list();
  void row();
  void column();
  void table();

  // Of the shape.
  [[nodiscard]] unsigned below(unsigned bound) { return static_cast<unsigned>(shape_() % bound); }
  [[nodiscard]] bool one_in(unsigned chances) { return below(chances) == 0; }
  [[nodiscard]] std::string_view any_of(Choices choices) {
    return choices.begin()[below(static_cast<unsigned>(choices.size()))];
  }
  // Of the spelling.
  [[nodiscard]] unsigned spelled_below(unsigned bound) {
    return static_cast<unsigned>(spelling_() % bound);
  }
  [[nodiscard]] std::string_view spelled_any_of(Choices choices) {
    return choices.begin()[spelled_below(static_cast<unsigned>(choices.size()))];
  }

  // Keywords in some case, with gaps between them.
  void words(std::string_view keywords);
  // What must stand as it is, behind a gap; `glued`: without one.
  void put(std::string_view token);
  void glue(std::string_view token) { text_ += token; }
  void put_odd(std::string_view token, unsigned oddity);
  void gap();

  std::mt19937_64 shape_;
  std::mt19937_64 spelling_;
  std::string text_;
  unsigned oddities_ = 0;
};

}  // namespace dbtrace::sql
