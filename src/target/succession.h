// Which process takes the place of a server that has ended, and whether a file
// that is traced was replaced. Reads /proc and never waits.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "src/target/process.h"
#include "src/target/server.h"

namespace dbtrace::target {

// A server process's successor runs the same path (not the same file: it may have
// been upgraded meanwhile) as the same user, with the same --datadir, --socket and --port on its
// command line, and was not there yet when the server was first looked at.
class Succession {
 public:
  explicit Succession(const Server& server, const Proc& proc = Proc());

  // To be asked when the server has ended. A process is named once.
  [[nodiscard]] std::optional<uint32_t> next(const Proc& proc = Proc());

 private:
  [[nodiscard]] bool fits(uint32_t pid, const Proc& proc) const;

  std::string executable_;
  std::string data_;
  std::optional<uint32_t> user_;  // others may start what looks like it
  std::set<uint32_t> known_;      // processes that are somebody else
};

// The file of a path, for servers that are "every process of a file".
class FileWatch {
 public:
  // What the path leads to now is known.
  explicit FileWatch(std::string path) : path_(std::move(path)) { know(); }

  [[nodiscard]] const std::string& path() const { return path_; }
  void know();
  // Whether the path leads to a file that is not known and has changed since the
  // last call: one that is still being written is worth another look.
  [[nodiscard]] bool changed();

 private:
  struct State {
    uint64_t device = 0, inode = 0, size = 0;
    int64_t modified_ns = 0;
    friend bool operator==(const State&, const State&) = default;
    [[nodiscard]] bool same_file(const State& other) const {
      return device == other.device && inode == other.inode;
    }
  };
  [[nodiscard]] std::optional<State> look() const;  // nothing: no such file, for now

  std::string path_;
  State known_;
  State seen_;
};

}  // namespace dbtrace::target
