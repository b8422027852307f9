// A server that answers what a test wants, as MySQL's or PostgreSQL's protocol or not at all.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace dbtrace::testing {

// Listens on a port of 127.0.0.1; one client after the other.
class HostileServer {
 public:
  // What an answer needs of the connection. When the client or the test is gone, nothing comes
  // and goes any more.
  class Peer {
   public:
    Peer(HostileServer& server, int socket) : server_(server), socket_(socket) {}
    // False: gone.
    bool send(std::string_view bytes);
    bool drip(std::string_view bytes);  // one each 20 ms
    std::string receive(size_t count);  // "": gone
    void wait_until_gone();

   private:
    HostileServer& server_;
    int socket_;
  };

  using Script = std::function<void(Peer&)>;
  explicit HostileServer(Script script);
  ~HostileServer();
  HostileServer(const HostileServer&) = delete;
  HostileServer& operator=(const HostileServer&) = delete;

  [[nodiscard]] uint16_t port() const { return port_; }
  // All that clients have sent and the script has received.
  [[nodiscard]] std::string received() const;

 private:
  void serve();

  Script script_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::atomic<int> client_ = -1;
  std::atomic<bool> over_ = false;
  mutable std::mutex mutex_;
  std::string received_;
  std::thread thread_;
};

// PostgreSQL: lets the client in, and answers each query with what the function sends. `login`:
// sent in place of the leave to come in.
using Answer = std::function<void(HostileServer::Peer&)>;
[[nodiscard]] std::string postgres_message(char type, std::string_view body);
[[nodiscard]] std::string postgres_notice();  // with sequences for the terminal
[[nodiscard]] std::string postgres_row(std::string_view value);
[[nodiscard]] std::string postgres_columns();  // one, before its rows
[[nodiscard]] std::string postgres_end();      // of the answer
void act_as_postgres(HostileServer::Peer& peer, const Answer& answer, std::string_view login = {});

// MySQL, alike.
[[nodiscard]] std::string mysql_packet(uint8_t number, std::string_view body);
[[nodiscard]] std::string mysql_greeting();
[[nodiscard]] std::string mysql_columns();  // one; 4 is the first row's number
void act_as_mysql(HostileServer::Peer& peer, const Answer& answer, std::string_view login = {});

}  // namespace dbtrace::testing
