// A trace read as Perfetto reads one: decoded by protoc with the public schema, put in order of
// time, and its events matched.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dbtrace::testing {

struct Slice {
  std::string track;   // its name
  std::string server;  // the name of the track around that one; empty: none
  uint64_t pid = 0;    // of that server; 0: none
  std::string name;
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  size_t depth = 0;          // slices around it
  nlohmann::json arguments;  // by name
  std::vector<uint64_t> flows_out, flows_in;
};

struct DecodedTrace {
  uint64_t begin_ns = 0;      // by the clock that all times are of, the wall's
  std::vector<Slice> slices;  // in order of their begins
  // From slice to slice, by their places in `slices`, in order of time.
  std::vector<std::pair<size_t, size_t>> arrows;
};

// Throws std::runtime_error where something is not as the format has it: unknown fields, text that
// is not UTF-8, names that were not told, ends without begins, tracks that come after their events.
[[nodiscard]] DecodedTrace decode_trace(const std::string& bytes);

}  // namespace dbtrace::testing
