// Clients that ask numbered questions for as long as they are let, and keep books of the answers.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "tests/faults/database.h"

namespace dbtrace::testing {

// "mark 17", one for each question of a test program: how its line is known.
inline constexpr const char* kMark = "mark ";

class Load {
 public:
  explicit Load(const Database& database) : database_(database) {}
  ~Load() { stop(); }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  // Clients connect and ask from now on; again after stop(), or the server's end.
  void start();
  // When it returns the server is done with every question that was answered.
  void stop();
  // Connects as often, from several threads at once, one question each.
  void storm(size_t connections);
  // Waits until this many more were answered; false if they never are.
  [[nodiscard]] bool goes_on(size_t answers = 100) const;

  // Marks below that were asked.
  [[nodiscard]] size_t asked() const { return asked_; }
  // With the right answer.
  [[nodiscard]] size_t answered() const { return answered_; }
  [[nodiscard]] size_t wrong() const { return wrong_; }
  // Clients whose session broke, in a question or right after the answer to one.
  [[nodiscard]] size_t cut_off() const { return cut_off_; }

 private:
  void question(Conversation& conversation);
  void converse();

  const Database& database_;
  std::atomic<bool> stop_ = false;
  std::atomic<size_t> asked_ = 0, answered_ = 0, wrong_ = 0, cut_off_ = 0;
  std::vector<std::thread> clients_;
};

}  // namespace dbtrace::testing
