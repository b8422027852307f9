// PostgreSQL's client library, loaded when somebody wants to ask a server.
#pragma once

#include <libpq-fe.h>

#include "symbols/result.h"

// Its functions that are used, by their own names.
#define DBTRACE_LIBPQ_FUNCTIONS(each)                                                           \
  each(PQclear) each(PQconnectPoll) each(PQconnectStartParams) each(PQconninfoFree)             \
      each(PQconninfoParse) each(PQconsumeInput) each(PQdb) each(PQerrorMessage) each(PQfinish) \
          each(PQgetResult) each(PQgetvalue) each(PQisBusy) each(PQlibVersion) each(PQnfields)  \
              each(PQntuples) each(PQresStatus) each(PQresultStatus) each(PQsendQuery)          \
                  each(PQsetNoticeProcessor) each(PQsetSingleRowMode) each(PQsocket)            \
                      each(PQstatus)

namespace dbtrace::profiles::postgres {

struct Libpq {
#define DBTRACE_MEMBER(name) decltype(&::name) name = nullptr;
  DBTRACE_LIBPQ_FUNCTIONS(DBTRACE_MEMBER)
#undef DBTRACE_MEMBER

  // Loaded once, for good; from any thread. Errors: it is not installed, or lacks a function.
  [[nodiscard]] static Result<const Libpq*> load();
};

}  // namespace dbtrace::profiles::postgres
