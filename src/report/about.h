// About: what a report says of its recording besides its queries.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/recording/writer.h"

namespace dbtrace::report {

// Times in nanoseconds since the Unix epoch.
struct About {
  std::string path;
  std::string program;  // that recorded
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  bool finished = true;    // else it was cut off, or is still being written
  bool sampled = false;    // of some stretches not all queries were kept whole
  uint64_t summed_up = 0;  // queries that are in sums only
  std::vector<recording::ServerNote> servers;
  std::vector<recording::Incident> incidents;
  std::map<std::string, uint64_t> counters;  // recording::CounterNote
};

// "MariaDB 10.11.19 (pid 4006, /usr/sbin/mariadbd, --datadir=…)": raw bytes.
[[nodiscard]] std::string described(const recording::ServerNote& server);

// Something that the numbers do not tell of, and what follows for them.
struct Remark {
  std::string what;
  std::string meaning;
};

// What matters most first; nothing: all that happened is in the report.
[[nodiscard]] std::vector<Remark> remarks_on(const About& about);

}  // namespace dbtrace::report
