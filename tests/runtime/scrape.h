// `dbtrace serve` under test, and what it tells who asks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/http_client.h"

namespace dbtrace::testing {

// A page in Prometheus' text format.
class Scrape {
 public:
  // Throws std::runtime_error at a line that is none.
  explicit Scrape(const std::string& page);

  // Of all samples of this name whose labels contain `label` (`reason="ring full"`).
  [[nodiscard]] double sum(const std::string& name, const std::string& label = "") const;
  [[nodiscard]] bool has(const std::string& name) const;
  // The label `kind` whose text contains `text`; throws when it is not just one.
  [[nodiscard]] std::string kind_of(const std::string& text) const;

 private:
  struct Sample {
    std::string labels;
    double value;
  };
  std::multimap<std::string, Sample> samples_;
};

class Serving {
 public:
  // At a free port of this machine. Waits until it listens.
  explicit Serving(std::vector<std::string> arguments);

  [[nodiscard]] uint16_t port() const { return port_; }
  // Throws when there is none.
  [[nodiscard]] std::string page() const;
  [[nodiscard]] Scrape scrape() const { return Scrape(page()); }
  // Until `condition` holds for a scrape; the last one.
  template <typename Condition>
  [[nodiscard]] Scrape wait_for(const Condition& condition) {
    std::string last;
    (void)wait_until(
        [&] {
          last = page();
          return condition(Scrape(last));
        },
        std::chrono::seconds(60));
    return Scrape(last);
  }
  // SIGTERM, as a service manager ends it; the exit code.
  int end();
  [[nodiscard]] DbtraceProcess& process() { return process_; }
  // Of the process, in bytes.
  [[nodiscard]] size_t resident() const;

 private:
  DbtraceProcess process_;
  uint16_t port_ = 0;
};

}  // namespace dbtrace::testing
