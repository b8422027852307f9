// Store: where a recorder puts what it gets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/model/io_operation.h"
#include "src/model/query.h"
#include "src/model/wait_sums.h"
#include "src/recording/writer.h"
#include "symbols/result.h"

namespace dbtrace::recording {

// Not for use by two threads at once. Times: since the Unix epoch.
class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  virtual void add(const model::Query& query) = 0;
  // In all files from now on.
  virtual void add(const ServerNote& server) = 0;
  virtual void add(const LossNote& loss) = 0;
  virtual void set(const CounterNote& counter) = 0;
  virtual void add(const Incident& incident) = 0;
  // Of the next second, or a part of one.
  virtual void add(const model::Spending& second) = 0;
  virtual void add(const model::IoOperation& operation) = 0;
  // Writer::rename_content(), as far as files are still being written.
  virtual void rename_content(const std::string& from, const std::string& to) = 0;

  // Several times a second, and when wants_commit() says so. What was added is safe then, as far
  // as the store keeps anything safe.
  [[nodiscard]] virtual Result<void> commit(uint64_t now_ns) = 0;
  [[nodiscard]] virtual Result<void> finish(uint64_t now_ns) = 0;
  // Nothing more can be added.
  [[nodiscard]] virtual bool is_full() const = 0;
  // commit() is due, however short a time has gone by.
  [[nodiscard]] virtual bool wants_commit() const = 0;
  // Queries that a commit() that fails loses.
  [[nodiscard]] virtual uint64_t uncommitted() const = 0;
  // Queries that are in sums only (Writer::summed_up()).
  [[nodiscard]] virtual uint64_t summed_up() const = 0;
  // Lines for the user, since the last time. For any thread.
  [[nodiscard]] virtual std::vector<std::string> take_news() { return {}; }
};

}  // namespace dbtrace::recording
