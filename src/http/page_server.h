// Answers `GET` of one path over HTTP, for a few clients at a time, whatever those do.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "src/http/address.h"
#include "symbols/result.h"

namespace dbtrace::http {

// Has no thread and never waits: serve() does what can be done. Memory is bounded: kMostClients,
// each with at most kClientBytes and, while it reads, one page, which those who ask within
// kFreshness share. Not thread-safe.
class PageServer {
 public:
  static constexpr unsigned kMostClients = 32;  // more wait until others are gone
  static constexpr size_t kClientBytes = 16'384;
  // What a client may take: between two of its bytes, and in all.
  static constexpr std::chrono::seconds kMostSilence{5}, kMostTime{30};
  // Until it has asked, when there is no place for others.
  static constexpr std::chrono::milliseconds kMostHesitation{250};
  static constexpr std::chrono::milliseconds kFreshness{500};

  struct Page {
    std::string path;   // "/metrics"
    std::string type;   // "text/plain"
    std::string title;  // in a page at "/" that leads to it
  };
  // Errors: the address is not to be had.
  [[nodiscard]] static Result<PageServer> listen(const Address& address, Page page);
  PageServer(PageServer&&) noexcept;
  PageServer& operator=(PageServer&&) = delete;
  ~PageServer();

  [[nodiscard]] Address address() const;
  // Becomes readable when there is something to do.
  [[nodiscard]] int fd() const;
  // Several times a second, and whenever fd() is readable. `make` makes the page; an empty one: it
  // is not to be had.
  void serve(const std::function<std::string()>& make);

 private:
  struct Impl;
  explicit PageServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dbtrace::http
