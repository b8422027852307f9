// What clients did on one server, held against what dbtrace tells of it: every connection's
// deeds in their order, one line each.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace dbtrace::testing {

struct Deed {
  std::string command;
  std::string text;
  // As the server writes it, "" when it succeeded. Nothing: the client could not know.
  std::optional<std::string> error = "";
  std::optional<uint64_t> rows = {};  // nothing: not compared
};

// May be used by several threads at once. Lines and deeds come in any order to each other, and
// are forgotten as soon as they are settled.
class Ledger {
 public:
  // `user` is whom all lines have to name; texts are told up to `max_text` bytes.
  Ledger(std::string user, size_t max_text) : user_(std::move(user)), max_text_(max_text) {}

  // What a client has done, when it knows what came of it.
  void did(uint64_t connection, Deed deed);
  void told(const nlohmann::json& line);

  // For who is about to do more: a short rest, and a longer one while dbtrace has a lot to tell
  // yet, so that the machine's speed does not matter. Not for ever: something may be lost.
  void let_follow() const;
  // Whether every deed was told and every line was of a deed, so far.
  [[nodiscard]] bool settled() const;
  // Whatever has no counterpart now never will have one. Counts are final.
  void close();

  [[nodiscard]] uint64_t deeds() const { return deeds_; }
  [[nodiscard]] uint64_t right() const { return right_; }
  // Deeds that were not told.
  [[nodiscard]] uint64_t missing() const { return missing_; }
  // Lines of what nobody did so, or that came too late.
  [[nodiscard]] uint64_t wrong() const { return wrong_; }
  // What the first of both were.
  [[nodiscard]] const std::string& complaints() const { return complaints_; }

 private:
  struct Account {
    std::deque<Deed> deeds;
    std::deque<nlohmann::json> lines;
  };
  [[nodiscard]] bool is_of(const Deed& deed, const nlohmann::json& line) const;
  void settle(Account& account);
  void complain(const std::string& about);

  const std::string user_;
  const size_t max_text_;
  mutable std::mutex mutex_;
  std::map<uint64_t, Account> open_;  // by connection
  size_t untold_ = 0;                 // deeds in there
  uint64_t deeds_ = 0, right_ = 0, missing_ = 0, wrong_ = 0;
  std::string complaints_;
};

}  // namespace dbtrace::testing
