// All stacks of queries ↔ rows. Most stacks begin as others do, so calls are a tree: each is a
// function, called by another call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "src/model/stack.h"
#include "src/recording/beside.h"
#include "src/recording/database.h"
#include "src/recording/dictionary.h"
#include "src/recording/statement.h"

namespace dbtrace::recording {

// Not thread-safe. What goes wrong is the database's failure.
class SampleWriter {
 public:
  explicit SampleWriter(Database& database);
  // Those of the query with this id; once.
  void add(int64_t query, const model::SampledStacks& stacks);

 private:
  [[nodiscard]] int64_t frame_of(const model::Frame& frame);
  // The call that is innermost; 0: there is none. `rows`: of the frames.
  [[nodiscard]] int64_t call_of(const std::vector<model::FrameId>& stack,
                                const std::vector<int64_t>& rows);

  Dictionary frames_, calls_;
  Statement frame_, call_, sample_;
};

// The same.
class SampleReader {
 public:
  // More than any query has: a file may say anything. Of longer stacks the outermost frames are
  // left out, of more the last.
  static constexpr size_t kMostFrames = 4096;          // of a stack
  static constexpr size_t kMostFramesOfAll = 4 << 20;  // of a query

  explicit SampleReader(Database& database);
  // Those of the query with this id. Queries come in ascending order.
  [[nodiscard]] std::shared_ptr<const model::SampledStacks> of(int64_t query);
  // As Beside has them.
  void seek(const Ids& ids) { samples_.seek(ids); }
  void end() { samples_.end(); }

 private:
  struct Call {
    int64_t caller = 0;
    int64_t frame = 0;
  };
  using Places = std::unordered_map<int64_t, model::FrameId>;

  void add_frames(int64_t call, Places& places, model::SampledStacks& stacks);
  [[nodiscard]] model::FrameId place_of(int64_t frame, Places& places,
                                        model::SampledStacks& stacks);

  Beside samples_;
  Known<Call> calls_;
  Known<model::Frame> frames_;
};

}  // namespace dbtrace::recording
