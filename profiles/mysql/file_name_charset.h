// How MySQL and MariaDB spell the name of a table or database in a file's name: their
// character set "filename" (manual: "Mapping of Identifiers to File Names").
#pragma once

#include <string>
#include <string_view>

namespace dbtrace::profiles::mysql {

// The identifier, in UTF-8, that `file_name` (without extension and partition) stands for;
// `file_name` itself where it is not spelled like that.
[[nodiscard]] std::string identifier_of(std::string_view file_name);

}  // namespace dbtrace::profiles::mysql
