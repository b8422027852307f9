#include "tests/unit/sql/statement_generator.h"

namespace dbtrace::sql {

void StatementGenerator::gap() {
  if (text_.empty()) return;
  switch (spelled_below(400)) {
    case 0:
      text_ += "\n";
      break;
    case 1:
      text_ += " \t ";
      break;
    case 2:
      text_ += " /* a 1 comment */ ";
      break;
    case 3:
      text_ += " -- to the end\n";
      break;
    case 4:
      text_ += " # to the end\n";
      break;
    case 5:
      text_ += "  ";
      break;
    case 6:
      text_ += " /* 'quoted' -- */ ";
      break;
    case 7:
      if (spelled_below(4) == 0) {
        text_ += " -- it's 1\n";
        oddities_ |= kQuoteInLineComment;
        break;
      }
      [[fallthrough]];
    default:
      text_ += ' ';
  }
}

void StatementGenerator::put_odd(std::string_view token, unsigned oddity) {
  put(token);
  oddities_ |= oddity;
}

void StatementGenerator::put(std::string_view token) {
  gap();
  text_ += token;
}

void StatementGenerator::words(std::string_view keywords) {
  const unsigned spelling = spelled_below(3);
  gap();
  for (const char c : keywords) {
    const bool lower = spelling == 0 || (spelling == 2 && spelled_below(2) == 0);
    if (c == ' ') {
      gap();
    } else {
      text_ += lower && c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    }
  }
}

void StatementGenerator::column() {
  if (one_in(4)) {
    put(any_of({"t1", "o", "`t1`", "shop"}));
    glue(".");
    glue(any_of({"id", "select", "`group`", "1st", "price2"}));
  } else {
    put(any_of({"id",          "a",          "b",    "name",        "status",
                "customer_id", "c3",         "tab1", "created_at",  "`order`",
                "`x y`",       "`tick``ed`", "$d",   "caf\xc3\xa9", "user",
                "value",       "date",       "max",  "nullable",    "index_x"}));
  }
}

void StatementGenerator::table() {
  put(any_of({"t", "t1", "orders", "`order items`", "shop.customers", "shop.`t`", "sbtest12",
              "log_2026_01"}));
}

void StatementGenerator::string_literal() {
  switch (spelled_below(200)) {
    case 0:
      return put_odd("'ends with \\\\'", kBackslashBeforeQuote);
    case 1:
      return put_odd("'one \" alone'", kOtherQuoteInString);
    case 2:
      return put_odd("'-- none'", kCommentInString);
    case 3:
      return put_odd("'/* none */'", kCommentInString);
    case 4:
      return put_odd("'# none'", kCommentInString);
    case 5:
      return put_odd("'), ('", kRowEndInString);
    default:
      break;
  }
  put(spelled_any_of({"'x'", "''", "\"x\"", "'a longer text, with (parentheses), and 1 number'",
                      "'it\\'s'", "'back\\\\slash'", "\"it's\"", "'say \"hi\"'", "'a\nb'",
                      "'caf\xc3\xa9'", "'2026-01-02 03:04:05'", "'%x_'", "'1'", "' in (1, 2)'"}));
}

void StatementGenerator::literal() {
  // Signs are a part of the shape: not everywhere are they a part of the value.
  switch (below(12)) {
    case 0:
    case 1:
    case 2:
    case 3:
      put(spelled_any_of({"0", "1", "42", "1234567890123", "007", "18446744073709551615"}));
      break;
    case 4:
      put(spelled_any_of({"1.5", ".5", "5.", "1e10", "1E5", "2.5e-3", "0.0"}));
      break;
    case 5:
      if (spelled_below(20) == 0) return put_odd("0x1F", kCapitalHexNumber);
      put(spelled_any_of({"0x1f", "x'1F'", "X'1f'", "0b101", "b'101'", "B'1'"}));
      break;
    case 6:
      put(any_of({"_utf8mb4", "_latin1", "_binary"}));
      string_literal();
      break;
    case 7:
      put("N");
      glue("'national'");
      break;
    default:
      string_literal();
  }
}

void StatementGenerator::value_list() {
  put("(");
  const unsigned count = 1 + spelled_below(6);
  for (unsigned i = 0; i < count; ++i) {
    if (i > 0) glue(",");
    switch (spelled_below(8)) {
      case 0:
        string_literal();
        break;
      case 1:
        put("-1");
        break;
      case 2:
        words("NULL");
        break;
      default:
        put(std::to_string(spelled_below(100000)));
    }
  }
  put(")");
}

void StatementGenerator::function(int depth) {
  switch (below(10)) {
    case 0:
      words("COUNT"), glue("("), put("*"), put(")");
      return;
    case 1:
      words("CAST"), glue("("), expression(depth), words("AS SIGNED"), put(")");
      return;
    case 2:
      words("COUNT"), glue("("), words("DISTINCT"), column(), put(")");
      return;
    case 3:
      words("DATE_ADD"), glue("("), column(), glue(","), words("INTERVAL"), put("1"), words("DAY"),
          put(")");
      return;
    case 4:
      words("NOW"), glue("()");
      return;
    case 5:
      words(any_of({"SUM", "MIN", "MAX", "AVG"})), glue("("), column(), put(")");
      return;
    default:
      break;
  }
  put(any_of({"concat", "coalesce", "ifnull", "json_extract", "round", "f2", "shop.f"}));
  glue("(");
  expression(depth);
  if (one_in(2)) glue(","), expression(depth);
  glue(")");
}

void StatementGenerator::expression(int depth) {
  switch (depth <= 0 ? below(6) : below(14)) {
    case 0:
    case 1:
    case 2:
      column();
      break;
    case 3:
    case 4:
      literal();
      break;
    case 5:
      words(any_of({"NULL", "TRUE", "FALSE", "CURRENT_TIMESTAMP", "DEFAULT(a)", "@a",
                    "@@sort_buffer_size"}));
      break;
    case 6:
    case 7:
      function(depth - 1);
      break;
    case 8:
      expression(depth - 1), put(any_of({"+", "-", "*", "/", "%", "|", "&", "<<"})),
          expression(depth - 1);
      break;
    case 9:
      column(), glue(any_of({"-", "+"})), glue(std::to_string(spelled_below(100)));
      break;
    case 10:
      put("("), expression(depth - 1), put(")");
      break;
    case 11:
      words("CASE WHEN"), condition(depth - 1), words("THEN"), expression(depth - 1), words("ELSE"),
          expression(depth - 1), words("END");
      break;
    case 12:
      put("("), select(depth - 1), put(")");
      break;
    default:
      put("-"), literal();
  }
}

void StatementGenerator::comparison(int depth) {
  switch (below(12)) {
    case 0:
      column(), words(any_of({"IN", "NOT IN"})), value_list();
      break;
    case 1:
      column(), words("IS NULL");
      break;
    case 2:
      column(), words("IS NOT NULL");
      break;
    case 3:
      column(), words("BETWEEN"), literal(), words("AND"), literal();
      break;
    case 4:
      column(), words(any_of({"LIKE", "NOT LIKE", "REGEXP", "RLIKE"})), string_literal();
      break;
    case 5:
      column(), words("IN"), put("("), select(depth - 1), put(")");
      break;
    case 6:
      words(any_of({"EXISTS", "NOT EXISTS"})), put("("), select(depth - 1), put(")");
      break;
    case 7:
      column(), glue("="), glue(std::to_string(spelled_below(1000)));
      break;
    case 8:
      column(), put("="), put("-"), glue(std::to_string(spelled_below(1000)));
      break;
    default:
      column(), put(any_of({"=", "<", ">", "<=", ">=", "<>", "!=", "<=>"})), expression(depth - 1);
  }
}

void StatementGenerator::condition(int depth) {
  comparison(depth);
  for (unsigned more = below(3); more > 0; --more) {
    words(any_of({"AND", "AND", "OR", "XOR"}));
    if (one_in(5)) words("NOT");
    comparison(depth);
  }
}

void StatementGenerator::select_core(int depth) {
  words("SELECT");
  if (one_in(12)) put("/*+ MAX_EXECUTION_TIME(1000) */");
  if (one_in(10)) words(any_of({"DISTINCT", "SQL_NO_CACHE", "STRAIGHT_JOIN", "ALL"}));
  if (one_in(4)) {
    put("*");
  } else {
    for (unsigned i = 0, count = 1 + below(4); i < count; ++i) {
      if (i > 0) glue(",");
      expression(depth);
      if (one_in(5)) words("AS"), put(any_of({"x", "total", "`a b`"}));
    }
  }
  words("FROM");
  table();
  if (one_in(3)) words("AS"), put("t1");
  if (one_in(4)) {
    words(any_of({"JOIN", "LEFT JOIN", "INNER JOIN", "CROSS JOIN"})), table(), put("o"),
        words("ON"), condition(0);
  }
  if (!one_in(4)) words("WHERE"), condition(depth);
  if (one_in(6)) {
    words("GROUP BY"), column();
    if (one_in(2)) words("HAVING"), condition(0);
  }
}

void StatementGenerator::select(int depth) {
  if (depth < -1) {
    words("SELECT"), column(), words("FROM"), table();
    return;
  }
  select_core(depth);
  if (one_in(12)) {
    words(any_of({"UNION", "UNION ALL"}));
    select_core(depth - 1);
  }
  if (one_in(4)) {
    words("ORDER BY"), column();
    words(any_of({"", "ASC", "DESC"}));
    if (one_in(3)) glue(","), column(), words(any_of({"", "ASC", "DESC"}));
  }
  if (one_in(4)) {
    words("LIMIT"), put(std::to_string(spelled_below(100)));
    if (one_in(3))
      words("OFFSET"), put(std::to_string(spelled_below(100)));
    else if (one_in(2))
      glue(","), put(std::to_string(spelled_below(100)));
  }
  if (one_in(12)) words(any_of({"FOR UPDATE", "LOCK IN SHARE MODE"}));
}

void StatementGenerator::row() {
  put("(");
  for (unsigned i = 0; i < 3; ++i) {
    if (i > 0) glue(",");
    if (spelled_below(6) == 0)
      words("NULL");
    else if (spelled_below(2) == 0)
      string_literal();
    else
      put(std::to_string(spelled_below(100000)));
  }
  put(")");
}

void StatementGenerator::insert() {
  words(any_of({"INSERT INTO", "INSERT IGNORE INTO", "REPLACE INTO", "INSERT"}));
  table();
  switch (below(4)) {
    case 0:
      words("SET"), column(), put("="), expression(1);
      break;
    case 1:
      put("("), column(), glue(","), column(), put(")"), select(1);
      break;
    default: {
      put("("), column(), glue(","), column(), glue(","), column(), put(")");
      words("VALUES");
      row();
      if (!one_in(3)) {
        for (unsigned more = 1 + spelled_below(4); more > 0; --more) glue(","), row();
      }
      if (one_in(4))
        words("ON DUPLICATE KEY UPDATE"), put("a"), put("="), words("VALUES"), glue("("), put("a"),
            put(")");
    }
  }
}

void StatementGenerator::update() {
  words("UPDATE"), table(), words("SET"), column(), put("="), expression(1);
  if (one_in(2)) glue(","), column(), put("="), literal();
  if (!one_in(6)) words("WHERE"), condition(1);
  if (one_in(6)) words("LIMIT"), put(std::to_string(spelled_below(100)));
}

void StatementGenerator::remove() {
  words("DELETE FROM"), table(), words("WHERE"), condition(1);
  if (one_in(4)) words("ORDER BY"), column(), words("LIMIT"), put("10");
}

void StatementGenerator::create_table() {
  words("CREATE TABLE"), put("new1"), put("("), put("id"),
      words(any_of({"INT", "BIGINT UNSIGNED", "INTEGER"}));
  words("NOT NULL AUTO_INCREMENT PRIMARY KEY"), glue(","), put("b"), words("VARCHAR"), glue("(20)");
  words(any_of(
      {"NULL", "NOT NULL", "DEFAULT NULL", "NOT NULL DEFAULT 'x'", "NULL COMMENT 'a \"b\"'"}));
  glue(","), put("c"), words("DECIMAL"), glue("(10,2)"),
      words(any_of({"DEFAULT 0.0", "NULL DEFAULT -1"}));
  if (one_in(2)) glue(","), words("KEY"), put("b_idx"), put("(b)");
  put(")");
  if (one_in(2)) words("ENGINE=InnoDB DEFAULT CHARSET=utf8mb4");
}

void StatementGenerator::various() {
  switch (below(14)) {
    case 0:
      words(any_of({"BEGIN", "COMMIT", "ROLLBACK", "START TRANSACTION"}));
      break;
    case 1:
      words("SET"), put("@a"), put(any_of({"=", ":="})), expression(1);
      break;
    case 2:
      words("SET SESSION"), put("sort_buffer_size"), glue("="), literal();
      break;
    case 3:
      words("CALL"), put(any_of({"p", "shop.p"})), glue("("), literal(), glue(","), literal(),
          glue(")");
      break;
    case 4:
      words(any_of({"USE"})), put(any_of({"shop", "`shop`"}));
      break;
    case 5:
      words(any_of(
          {"SHOW TABLES", "SHOW FULL PROCESSLIST", "SHOW DATABASES", "SHOW STATUS LIKE 'x%'"}));
      break;
    case 6:
      words("DO"), expression(1);
      break;
    case 7:
      words("EXPLAIN"), select(1);
      break;
    case 8:
      words("KILL"), literal();
      break;
    case 9:
      words("ALTER TABLE"), table(), words("ADD COLUMN"), put("d"), words("INT NULL DEFAULT NULL");
      break;
    case 10:
      words("DROP TABLE IF EXISTS"), table();
      break;
    case 11:
      words("LOCK TABLES"), table(), words("READ");
      break;
    case 12:
      words("WITH"), put("c"), words("AS"), put("("), select(1), put(")"), words("SELECT"),
          put("*"), words("FROM"), put("c");
      break;
    default:
      create_table();
  }
}

std::string StatementGenerator::statement() {
  text_.clear();
  const unsigned kind = below(20);
  if (kind < 9)
    select(2);
  else if (kind < 12)
    insert();
  else if (kind < 14)
    update();
  else if (kind < 16)
    remove();
  else
    various();
  return text_;
}

}  // namespace dbtrace::sql
