#include "src/commands/io/report.h"

namespace dbtrace::commands {

std::string_view name_of(model::FileOperation operation) {
  switch (operation) {
    case model::FileOperation::Read:
      return "read";
    case model::FileOperation::Write:
      return "write";
    case model::FileOperation::Fsync:
      break;
  }
  return "fsync";
}

std::string_view name_of(IoBy by) {
  switch (by) {
    case IoBy::Table:
      return "table";
    case IoBy::File:
      return "file";
    case IoBy::Operation:
      return "operation";
    case IoBy::Query:
      return "query";
    case IoBy::Thread:
      break;
  }
  return "thread";
}

}  // namespace dbtrace::commands
