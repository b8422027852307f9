#include "profiles/postgres/conversation.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cstdint>

namespace dbtrace::profiles::postgres {
namespace {

// The library goes on giving these until somebody copies.
bool is_copy(ExecStatusType status) {
  return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

// Of an answer of one row: what the library holds of a row that has not come to its end.
constexpr size_t kMostOfOneRow = 1024 * 1024;

size_t bytes_waiting(int socket) {
  int bytes = 0;
  return ::ioctl(socket, FIONREAD, &bytes) == 0 && bytes > 0 ? static_cast<size_t>(bytes) : 0;
}

}  // namespace

Result<Conversation> Conversation::open(const Libpq& libpq, const Parameters& parameters,
                                        const Patience& patience) {
  std::vector<const char*> names, values;
  for (const auto& [name, value] : parameters) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  Conversation opened(libpq, libpq.PQconnectStartParams(names.data(), values.data(), 0));
  PGconn* connection = opened.connection_.get();
  if (!connection) return fail("no memory");
  if (libpq.PQstatus(connection) == CONNECTION_BAD) return opened.failure();
  // Standard error is not the server's.
  libpq.PQsetNoticeProcessor(
      connection, [](void*, const char*) {}, nullptr);
  for (auto next = PGRES_POLLING_WRITING; next != PGRES_POLLING_OK;) {
    if (next == PGRES_POLLING_FAILED) return opened.failure();
    const short events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (!patience.wait(libpq.PQsocket(connection), events)) return patience.why();
    next = libpq.PQconnectPoll(connection);
  }
  return opened;
}

Result<Rows> Conversation::ask(const std::string& statements, const Expected& expected,
                               const Patience& patience) {
  if (libpq_->PQsendQuery(connection_.get(), statements.c_str()) != 1) return failure();
  if (expected.single) libpq_->PQsetSingleRowMode(connection_.get());
  size_t room = expected.single ? kMostOfOneRow : SIZE_MAX;
  Answer last(nullptr, libpq_->PQclear);
  for (;;) {
    auto answer = next_answer(patience, room);
    if (!answer) return tl::unexpected(answer.error());
    if (!*answer) return rows_of(std::move(last), expected);
    const ExecStatusType status = libpq_->PQresultStatus(answer->get());
    if (is_copy(status)) return rows_of(std::move(*answer), expected);
    if (last && libpq_->PQresultStatus(last.get()) == PGRES_SINGLE_TUPLE) {
      if (status == PGRES_SINGLE_TUPLE) return fail("the server answers with more than one row");
      if (status == PGRES_TUPLES_OK) continue;  // the row's end
    }
    last = std::move(*answer);
  }
}

Result<Conversation::Answer> Conversation::next_answer(const Patience& patience, size_t& room) {
  PGconn* connection = connection_.get();
  if (patience.is_over()) return patience.why();
  while (libpq_->PQisBusy(connection)) {
    const int socket = libpq_->PQsocket(connection);
    if (!patience.wait(socket, POLLIN)) return patience.why();
    const size_t waiting = bytes_waiting(socket);
    if (waiting > room) return fail("the server answers with too much");
    room -= waiting;
    if (libpq_->PQconsumeInput(connection) != 1) return failure();
  }
  return Answer(libpq_->PQgetResult(connection), libpq_->PQclear);
}

Result<Rows> Conversation::rows_of(Answer answer, const Expected& expected) const {
  const ExecStatusType status = libpq_->PQresultStatus(answer.get());
  if (!answer || status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE) return failure();
  const bool is_right = expected.columns == 0
                            ? status == PGRES_COMMAND_OK
                            : status == PGRES_TUPLES_OK || status == PGRES_SINGLE_TUPLE;
  if (!is_right)
    return fail(fmt::format("the server answers with {}", libpq_->PQresStatus(status)));
  if (const int columns = libpq_->PQnfields(answer.get()); columns != expected.columns)
    return fail(
        fmt::format("the server answers with {} columns instead of {}", columns, expected.columns));
  return Rows(*libpq_, answer.release());
}

tl::unexpected<Error> Conversation::failure() const {
  std::string why = libpq_->PQerrorMessage(connection_.get());
  std::ranges::replace(why, '\n', ' ');
  why.erase(why.find_last_not_of(' ') + 1);
  return fail(why.empty() ? "the server answers with nothing" : why);
}

}  // namespace dbtrace::profiles::postgres
