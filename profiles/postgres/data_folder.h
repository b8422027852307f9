// The files of a server's data directory (manual: "Database File Layout"), read where the server
// sees them: in its own root and mounts. What lies there is a stranger's: nothing but regular
// files is read, no link leads out, and nothing is read without a bound.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "symbols/unique.h"

namespace dbtrace::profiles::postgres {

// When a file has changed, one of these has.
struct FileStamp {
  uint64_t inode = 0;
  int64_t size = 0;
  int64_t seconds = 0, nanoseconds = 0;  // when it was written last
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// Files of one folder, by their names.
using FileStamps = std::map<std::string, FileStamp>;

// A folder of it with files. Movable.
class Folder {
 public:
  explicit Folder(UniqueFd folder) : folder_(std::move(folder)) {}

  // `most` bytes from `offset` on, or what there is of them; empty: there is no such file, or it
  // ends before.
  [[nodiscard]] std::vector<std::byte> read(const std::string& name, size_t most,
                                            size_t offset = 0) const;
  [[nodiscard]] FileStamp stamp(const std::string& name) const;

 private:
  UniqueFd folder_;
};

class DataFolder {
 public:
  // Of the postmaster with this pid, whose current folder it is. None: it is not to be had.
  [[nodiscard]] static std::optional<DataFolder> of_process(uint32_t pid);
  // `root`: what links in it start at.
  [[nodiscard]] static std::optional<DataFolder> at(const std::string& path,
                                                    const std::string& root = "/");

  // The server's major version; 0: it is no data directory.
  [[nodiscard]] int major() const;
  // What no other server has but its copies (struct ControlFileData); 0: not known.
  [[nodiscard]] uint64_t system_identifier() const;
  // The numbers of databases in the default tablespace, the lowest first; at most `most`.
  [[nodiscard]] std::vector<uint32_t> databases(size_t most) const;
  // The folder with a database's catalog, in whichever tablespace; 0: what all databases share.
  [[nodiscard]] std::optional<Folder> database(uint32_t number) const;
  // pg_xact: how transactions ended.
  [[nodiscard]] std::optional<Folder> transactions() const;

 private:
  DataFolder(UniqueFd folder, UniqueFd root) : folder_(std::move(folder)), root_(std::move(root)) {}
  [[nodiscard]] std::optional<Folder> in_tablespaces(uint32_t number) const;

  UniqueFd folder_;
  UniqueFd root_;
};

}  // namespace dbtrace::profiles::postgres
