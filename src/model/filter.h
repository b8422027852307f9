// Which queries the user wants to see. Each criterion may be absent; all that
// are given must hold.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/model/query.h"
#include "symbols/result.h"

namespace dbtrace::model {

struct FilterOptions {
  std::optional<uint64_t> slower_than_ns;
  std::vector<std::string> users;        // any of
  std::vector<std::string> databases;
  std::vector<uint64_t> connections;
  std::vector<std::string> commands;     // names, case-insensitive, with or without "COM_" / "Stmt"
  std::string match;                     // regular expression on the text, case-insensitive; empty: none
  bool errors_only = false;
};

// Compiles the options; a bad expression is an error that names it.
class Filter {
 public:
  [[nodiscard]] static Result<Filter> create(const FilterOptions& options);
  Filter(Filter&&) noexcept;
  Filter& operator=(Filter&&) noexcept;
  ~Filter();
  // True when `query` passes every criterion. Linear in the text's length
  // whatever the expression is.
  [[nodiscard]] bool accepts(const Query& query) const;

 private:
  Filter();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dbtrace::model
