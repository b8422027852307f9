#include "src/commands/histogram/report.h"

namespace dbtrace::commands {

std::string_view name_of(kinds::By by) {
  switch (by) {
    case kinds::By::Fingerprint:
      return "fingerprint";
    case kinds::By::Database:
      return "db";
    case kinds::By::User:
      return "user";
    case kinds::By::Command:
      return "command";
    case kinds::By::Table:
      return "table";
    case kinds::By::Connection:
      return "conn";
  }
  return "";
}

std::string_view name_of(sql::FingerprintMode mode) {
  switch (mode) {
    case sql::FingerprintMode::MySql:
      return "mysql";
    case sql::FingerprintMode::Pt:
      return "pt";
    case sql::FingerprintMode::Pmm:
      return "pmm";
  }
  return "";
}

}  // namespace dbtrace::commands
