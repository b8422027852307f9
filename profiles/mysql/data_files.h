// What MySQL and MariaDB keep in the files of their data directory, by the files' names.
#pragma once

#include <string>
#include <string_view>

namespace dbtrace::profiles::mysql {

// Profile::file_content: "schema.table", "schema.table (partition p0)", "redo", "binlog",
// "temporary table", …; empty for what is none of the server's files. Goes by names alone: a
// general tablespace in the data directory reads like a table of a schema of that name.
[[nodiscard]] std::string content_of_file(std::string_view folder, std::string_view name);

}  // namespace dbtrace::profiles::mysql
