// A conversation with a PostgreSQL server. It may be any program that listens there: whatever it
// answers, or does not, is an error at worst.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/patience.h"
#include "profiles/postgres/libpq.h"
#include "symbols/result.h"

namespace dbtrace::profiles::postgres {

// Rows of the number of columns that was expected.
class Rows {
 public:
  Rows(const Libpq& libpq, PGresult* result) : libpq_(&libpq), result_(result, libpq.PQclear) {}

  [[nodiscard]] int count() const { return libpq_->PQntuples(result_.get()); }
  // Both in range; "" for null.
  [[nodiscard]] std::string_view value(int row, int column) const {
    return libpq_->PQgetvalue(result_.get(), row, column);
  }

 private:
  const Libpq* libpq_;
  std::unique_ptr<PGresult, decltype(&::PQclear)> result_;
};

// What an answer has to be.
struct Expected {
  int columns = 0;      // 0: no rows, the statements only take effect
  bool single = false;  // at most one row, of less than 1 MB; no more is ever held
};

// Not thread-safe.
class Conversation {
 public:
  using Parameters = std::vector<std::pair<std::string, std::string>>;

  // Errors: why not, in one line.
  [[nodiscard]] static Result<Conversation> open(const Libpq& libpq, const Parameters& parameters,
                                                 const Patience& patience);
  // The rows of the last of the statements. After an error nothing more can be asked. Errors: what
  // the server says, or what it answers with instead, in one line.
  [[nodiscard]] Result<Rows> ask(const std::string& statements, const Expected& expected,
                                 const Patience& patience);
  [[nodiscard]] std::string database() const { return libpq_->PQdb(connection_.get()); }

 private:
  using Answer = std::unique_ptr<PGresult, decltype(&::PQclear)>;

  Conversation(const Libpq& libpq, PGconn* connection)
      : libpq_(&libpq), connection_(connection, libpq.PQfinish) {}
  // Null: there is none any more. `room`: how many bytes may come; less, afterwards.
  [[nodiscard]] Result<Answer> next_answer(const Patience& patience, size_t& room);
  [[nodiscard]] Result<Rows> rows_of(Answer answer, const Expected& expected) const;
  [[nodiscard]] tl::unexpected<Error> failure() const;

  const Libpq* libpq_;
  std::unique_ptr<PGconn, decltype(&::PQfinish)> connection_;
};

}  // namespace dbtrace::profiles::postgres
