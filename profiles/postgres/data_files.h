// What PostgreSQL keeps in the files of its data directory, by the files' names (manual:
// "Database File Layout").
#pragma once

#include <string>
#include <string_view>

namespace dbtrace::profiles::postgres {

// Profile::file_content: "16384/16397" for a relation (its database's number and that of its
// file, pg_class.relfilenode), "16384/16397 (visibility map)", "wal", "commit status", …; empty
// for what is none of the server's files. Which table has a number, only the server knows.
[[nodiscard]] std::string content_of_file(std::string_view folder, std::string_view name);

}  // namespace dbtrace::profiles::postgres
