#include "src/recording/sample_rows.h"

#include <algorithm>
#include <optional>
#include <string>

#include "src/recording/format.h"

namespace dbtrace::recording {
namespace {

using model::Frame;
using model::FrameId;
using model::Sample;

// Whatever stands in the file.
Frame::Kind kind_of(uint64_t number) {
  constexpr auto kLast = static_cast<uint64_t>(Frame::Kind::Marker);
  return static_cast<Frame::Kind>(std::min(number, kLast));
}

template <typename Value>
std::optional<Value> unless_empty(const Value& value) {
  return value == Value{} ? std::nullopt : std::optional(value);
}

}  // namespace

SampleWriter::SampleWriter(Database& database)
    : frame_(database.insert_into("frame", 6)),
      call_(database.insert_into("call", 3)),
      sample_(database.insert_into("sample", 8)) {}

void SampleWriter::add(int64_t query, const model::SampledStacks& stacks) {
  std::vector<int64_t> rows;
  rows.reserve(stacks.frames.size());
  for (const Frame& frame : stacks.frames) rows.push_back(frame_of(frame));
  for (size_t place = 0; place < stacks.samples.size(); ++place) {
    const Sample& sample = stacks.samples[place];
    const int64_t call = call_of(sample.frames, rows);
    sample_.put(query)
        .put(place)
        .put(unless_empty(call))
        .put(static_cast<uint8_t>(sample.cause))
        .put(sample.time_ns)
        .put(sample.ns)
        .put(sample.count)
        .put(sample.whole)
        .run();
  }
}

int64_t SampleWriter::frame_of(const Frame& frame) {
  const auto kind = static_cast<uint8_t>(frame.kind);
  const Key key = Key(frames_.key())
                      .add(uint64_t{kind})
                      .add(frame.name)
                      .add(frame.module)
                      .add(frame.offset)
                      .add(frame.source);
  return frames_.number(key, [&](int64_t id) {
    const auto source = unless_empty(frame.source);
    frame_.put(id)
        .put(kind)
        .put(frame.name)
        .put(frame.module)
        .put(unless_empty(frame.offset))
        .put(source)
        .run();
  });
}

int64_t SampleWriter::call_of(const std::vector<FrameId>& stack, const std::vector<int64_t>& rows) {
  int64_t caller = 0;
  for (const FrameId place : stack) {
    const int64_t frame = rows[place];
    const Key key =
        Key(calls_.key()).add(static_cast<uint64_t>(caller)).add(static_cast<uint64_t>(frame));
    caller = calls_.number(
        key, [&](int64_t id) { call_.put(id).put(unless_empty(caller)).put(frame).run(); });
  }
  return caller;
}

SampleReader::SampleReader(Database& database)
    : samples_(database, "sample", "call, cause, time_ns, ns, count, whole", "query, place"),
      calls_(database, "select caller, frame from call where id = ?"),
      frames_(database, "select kind, name, module, offset, source from frame where id = ?") {}

std::shared_ptr<const model::SampledStacks> SampleReader::of(int64_t query) {
  auto stacks = std::make_shared<model::SampledStacks>();
  Places places;
  size_t frames = 0;
  while (Statement* const row = samples_.row_of(query)) {
    if (frames >= kMostFramesOfAll) continue;
    std::optional<int64_t> call;
    uint64_t cause = 0;
    Sample sample;
    row->get(call).get(cause).get(sample.time_ns).get(sample.ns).get(sample.count);
    row->get(sample.whole);
    sample.cause = cause_of(cause);
    stacks->samples.push_back(std::move(sample));
    add_frames(call.value_or(0), places, *stacks);
    frames += 1 + stacks->samples.back().frames.size();
  }
  return stacks;
}

// To the last sample.
void SampleReader::add_frames(int64_t call, Places& places, model::SampledStacks& stacks) {
  std::vector<FrameId>& frames = stacks.samples.back().frames;
  // Callers have smaller ids, or are none: so it ends.
  for (int64_t id = call; id > 0 && frames.size() < kMostFrames;) {
    const Call at = calls_.of(id, [](Statement& row, Call& to) {
      std::optional<int64_t> caller;
      row.get(caller).get(to.frame);
      to.caller = caller.value_or(0);
    });
    frames.push_back(place_of(at.frame, places, stacks));
    if (at.caller >= id) break;
    id = at.caller;
  }
  std::ranges::reverse(frames);
}

FrameId SampleReader::place_of(int64_t frame, Places& places, model::SampledStacks& stacks) {
  const auto [place, is_new] =
      places.try_emplace(frame, static_cast<FrameId>(stacks.frames.size()));
  if (is_new)
    stacks.frames.push_back(frames_.of(frame, [](Statement& row, Frame& to) {
      uint64_t kind = 0;
      std::optional<uint64_t> offset;
      std::optional<std::string> source;
      row.get(kind).get(to.name).get(to.module).get(offset).get(source);
      to.kind = kind_of(kind);
      to.offset = offset.value_or(0);
      to.source = source.value_or("");
    }));
  return place->second;
}

}  // namespace dbtrace::recording
