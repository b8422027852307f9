// Who takes what is pushed, at a port of this machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "symbols/unique.h"

namespace dbtrace::testing {

struct Pushed {
  std::string path;
  std::map<std::string, std::string> headers;
  std::string body;
};

class TestCollector {
 public:
  // The bytes of an answer; none: the connection stays open, without one.
  using Answer = std::function<std::optional<std::string>(const Pushed&)>;

  // Port 0: any that is free.
  explicit TestCollector(Answer answer = taken, uint16_t port = 0);
  ~TestCollector();

  [[nodiscard]] uint16_t port() const { return port_; }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  // What has come whole, in order.
  [[nodiscard]] std::vector<Pushed> pushed() const;
  // What was not as it has to be.
  [[nodiscard]] std::vector<std::string> problems() const;

  static std::optional<std::string> taken(const Pushed&);
  [[nodiscard]] static std::string answer(int status, const std::string& headers = "",
                                          const std::string& body = "");

 private:
  void work();
  void serve(UniqueFd connection);

  Answer answer_;
  UniqueFd socket_;
  uint16_t port_ = 0;
  std::vector<UniqueFd> held_;  // the thread's
  std::atomic<bool> ends_ = false;
  mutable std::mutex mutex_;  // of the next two
  std::vector<Pushed> pushed_;
  std::vector<std::string> problems_;
  std::thread thread_;
};

}  // namespace dbtrace::testing
