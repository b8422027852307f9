// What PostgreSQL keeps in the files of its data directory, by the files' names (manual:
// "Database File Layout").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dbtrace::profiles::postgres {

// "16397", "16397.1" (its second gigabyte), "16397_vm", "16397_vm.1".
struct RelationFile {
  uint32_t database = 0;  // pg_database.oid; 0: what all databases share
  uint32_t number = 0;    // pg_class.relfilenode
  std::string_view fork;  // "visibility map"; empty: the relation itself
};
// None: it is no file of a relation, or of a session's own.
[[nodiscard]] std::optional<RelationFile> relation_file(std::string_view folder,
                                                        std::string_view name);

// "public.t (visibility map)"
[[nodiscard]] std::string with_fork(std::string name, std::string_view fork);

// Profile::file_content: "16384/16397" for a relation (its database's number and that of its
// file, pg_class.relfilenode), "16384/16397 (visibility map)", "wal", "commit status", …; empty
// for what is none of the server's files.
// Which table has a number, FileNames knows.
[[nodiscard]] std::string content_of_file(std::string_view folder, std::string_view name);

}  // namespace dbtrace::profiles::postgres
