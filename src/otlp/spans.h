// Queries as spans, by the stable semantic conventions of databases.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "src/kinds/fingerprints.h"
#include "src/model/query.h"
#include "src/otlp/attributes.h"

namespace dbtrace::otlp {

// Text without values only. Not thread-safe.
class Spans {
 public:
  // `resource`: what all servers have in common. `redact`: as kinds::KindOptions has it.
  Spans(Attributes resource, bool (*redact)(std::string_view, std::string&))
      : resource_(std::move(resource)), redact_(redact) {}

  // One that has ended.
  void add(const model::Query& query);

  [[nodiscard]] uint64_t count() const { return count_; }
  [[nodiscard]] size_t bytes() const { return bytes_; }
  // An ExportTraceServiceRequest of those since the last time, a resource for each kind of server.
  [[nodiscard]] std::string take(std::string_view version);

 private:
  struct Text {
    std::string fingerprint;
    std::string summary;  // "SELECT orders customers"
  };
  [[nodiscard]] Text text_of(const model::Query& query);

  const Attributes resource_;
  bool (*redact_)(std::string_view, std::string&);
  kinds::Fingerprints fingerprints_{sql::FingerprintMode::MySql};
  std::map<std::string_view, std::string> by_system_;  // repeated spans, written
  uint64_t count_ = 0;
  size_t bytes_ = 0;
};

}  // namespace dbtrace::otlp
