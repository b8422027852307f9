// Clients that keep a server busy while a test looks.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

#include "tests/runtime/client.h"
#include "tests/runtime/servers.h"

namespace dbtrace::testing {

// A table "shop.goods" with some rows.
inline void make_shop(const Server& server) {
  Client client({.socket = server.socket()});
  client.query(
      "CREATE DATABASE IF NOT EXISTS shop; USE shop;"
      "CREATE TABLE IF NOT EXISTS goods(id INT PRIMARY KEY, colour VARCHAR(20)) ENGINE=InnoDB;"
      "REPLACE INTO goods VALUES (1,'a'),(2,'b'),(3,'c')");
}

// Until it goes: `frequent` about ten times as often as `rare`.
class Load {
 public:
  explicit Load(
      const Server& server, std::string frequent = "SELECT colour FROM goods WHERE id = 2",
      std::string rare = "UPDATE goods SET colour = IF(colour = 'x', 'y', 'x') WHERE id = 3")
      : thread_([=, socket = server.socket()](const std::stop_token& stop) {
          try {
            Client client({.socket = socket, .database = "shop"});
            for (int i = 0; !stop.stop_requested(); ++i) {
              client.query(i % 10 == 0 ? rare : frequent);
              std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
          } catch (const ClientError&) {
            // The test has ended the server.
          }
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace dbtrace::testing
