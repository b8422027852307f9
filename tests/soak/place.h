// A server that a soak loads, and the sessions that clients have with it.
#pragma once

#include <sys/types.h>

#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/soak/ledger.h"

namespace dbtrace::testing {

// One client: sessions of a few dozen deeds of all kinds. All it does is in the ledger.
class Player {
 public:
  virtual ~Player() = default;
  // Connects, plays, and leaves in one way or another. Throws std::runtime_error when the server
  // does what it must not.
  virtual void session() = 0;
};

class Place {
 public:
  virtual ~Place() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  [[nodiscard]] virtual pid_t pid() const = 0;
  [[nodiscard]] virtual const char* user() const = 0;  // of all players
  // `seed` decides what it plays. The ledger has to outlive it.
  [[nodiscard]] virtual std::unique_ptr<Player> player(unsigned seed, Ledger& ledger) const = 0;
  // A server that has lost its way gives another number than 5050.
  [[nodiscard]] virtual std::string sum_of_numbers() const = 0;
};

// The servers that this machine has: MariaDB, MySQL 9 and PostgreSQL. Each has the table
// `numbers` (n: 1 to 100; v) and the procedure `tally`.
[[nodiscard]] std::vector<std::unique_ptr<Place>> mysql_places();
[[nodiscard]] std::unique_ptr<Place> postgres_place();  // nullptr: there is none

// What players of all kinds draw from.
class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed), seed_(seed) {}
  // 0 to `sides` - 1.
  [[nodiscard]] size_t roll(size_t sides) { return random_() % sides; }
  // "mark 3.17": no two are the same.
  [[nodiscard]] std::string mark() {
    return "mark " + std::to_string(seed_) + "." + std::to_string(++marks_);
  }
  // A mark and as much as it takes to be so long: most fit, some are cut.
  [[nodiscard]] std::string long_mark() {
    constexpr size_t kLengths[] = {1000, 4080, 5000, 20'000, 65'500, 100'000};
    std::string text = mark() + ' ';
    text.resize(kLengths[roll(std::size(kLengths))], 'x');
    return text;
  }

 private:
  std::mt19937 random_;
  const unsigned seed_;
  size_t marks_ = 0;
};

inline constexpr size_t kLongestSession = 40;

}  // namespace dbtrace::testing
