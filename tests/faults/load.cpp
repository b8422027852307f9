#include "tests/faults/load.h"

#include <chrono>
#include <stdexcept>

#include "tests/runtime/child_process.h"

namespace dbtrace::testing {

constexpr size_t kClients = 3;

void Load::start() {
  stop();
  stop_ = false;
  for (size_t i = 0; i < kClients; ++i) clients_.emplace_back([this] { converse(); });
}

void Load::stop() {
  stop_ = true;
  for (std::thread& client : clients_) client.join();
  clients_.clear();
}

void Load::question(Conversation& conversation) {
  const std::string mark = kMark + std::to_string(asked_++);
  ++(conversation.ask("SELECT '" + mark + "'") == mark ? answered_ : wrong_);
}

// A client has its answer before the server is done with the question, but not to the next one.
void Load::converse() {
  try {
    const auto conversation = database_.connect();
    while (!stop_) {
      question(*conversation);
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
    conversation->ask("SELECT 'end'");
  } catch (const std::runtime_error&) {
    ++cut_off_;
  }
}

void Load::storm(size_t connections) {
  std::atomic<size_t> left = connections;
  std::vector<std::thread> clients;
  for (size_t i = 0; i < 2 * kClients; ++i)
    clients.emplace_back([&] {
      for (size_t mine = left--; mine > 0 && mine <= connections; mine = left--) try {
          const auto conversation = database_.connect();
          question(*conversation);
          conversation->ask("SELECT 'end'");
        } catch (const std::runtime_error&) {
          ++cut_off_;
        }
    });
  for (std::thread& client : clients) client.join();
}

bool Load::goes_on(size_t answers) const {
  const size_t now = answered_;
  return wait_until([&] { return answered_ >= now + answers; }, std::chrono::seconds(120));
}

}  // namespace dbtrace::testing
