// Sessions: connections that have a track of their own, and what it is called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/model/query.h"

namespace dbtrace::output::perfetto {

// A connection is one of a process, a number and a user: all three may be another one's later.
// Not thread-safe.
class Sessions {
 public:
  // The number of its session, from 0 on.
  size_t add(const model::Query& query);
  [[nodiscard]] size_t size() const { return sessions_.size(); }

  // "app/shop #8": the user, the database, if it was the same all the time, and the connection. For
  // a person's eyes.
  [[nodiscard]] std::string name(size_t session) const;
  [[nodiscard]] uint32_t pid(size_t session) const { return sessions_[session].pid; }
  [[nodiscard]] const std::string& flavor(size_t session) const {
    return sessions_[session].flavor;
  }

 private:
  struct Session {
    std::string flavor;
    uint32_t pid = 0;
    uint32_t tid = 0;
    std::optional<uint64_t> connection;
    std::optional<std::string> user;
    std::string database;  // empty: none yet
    bool several_databases = false;
  };
  std::vector<Session> sessions_;
  std::unordered_map<std::string, size_t> numbers_;
  std::string key_;
};

}  // namespace dbtrace::output::perfetto
