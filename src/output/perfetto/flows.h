// Flows: which query kept which other one waiting, where a trace has both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "src/model/query.h"

namespace dbtrace::output::perfetto {

// When a wait ended is known to lie between its least end and the end of its query. The blocker is
// what its session was at work on in that time, with the text that it was seen with; where two of
// its queries may be meant, or where it is not known whole, there is no flow. About 40 bytes a
// query.
class Flows {
 public:
  // Queries have the numbers 0, 1, … in the order in which they are added.
  void add(const model::Query& query);
  // When all are there.
  void connect();

  // Flows are named by the number of who is blocked. Those that begin with this query:
  [[nodiscard]] const std::vector<uint64_t>& from(size_t query) const;
  // Whether one ends with it.
  [[nodiscard]] bool leads_to(size_t query) const { return blocked_.contains(query); }
  [[nodiscard]] size_t queries() const { return added_; }

 private:
  using Session = std::pair<uint32_t, uint64_t>;  // process, connection
  struct Work {
    uint64_t begin_ns;
    uint64_t end_ns;
    size_t text;  // its hash
    size_t query;
  };
  struct Wait {
    size_t query;
    Session blocker;
    bool idle;  // the blocker was in no query: its last one is meant
    size_t text;
    uint64_t earliest_ns, latest_ns;  // that it may have ended
  };
  // Of one session.
  using Works = std::vector<Work>;
  [[nodiscard]] static const Work* last_before(const Wait& wait, const Works& by_end);
  [[nodiscard]] static const Work* under_way(const Wait& wait, const Works& by_text);
  void connect(const Wait& wait, const Work* blocker);

  size_t added_ = 0;
  std::map<Session, Works> works_;
  std::vector<Wait> waits_;
  std::unordered_map<size_t, std::vector<uint64_t>> from_;
  std::unordered_set<size_t> blocked_;
};

}  // namespace dbtrace::output::perfetto
