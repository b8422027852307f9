#include "src/commands/diff/saved_run.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace dbtrace::commands {
namespace {

using nlohmann::json;

// Ten times what 5,000 kinds with long texts and wide histograms take.
constexpr size_t kLargestFile = size_t{512} << 20;

// Nothing else: a conversion from another number may mean anything.
uint64_t number(const json& value) {
  if (!value.is_number_unsigned()) throw std::runtime_error("a number is not a whole one");
  return value.get<uint64_t>();
}

kinds::Slice slice_from(const json& counts) {
  model::Histogram histogram;
  for (const json& each : counts) histogram.add(number(each.at(0)), number(each.at(1)));
  return kinds::slice_of(histogram);
}

SavedRun::Kind kind_of(const json& object) {
  SavedRun::Kind kind;
  object.at("id").get_to(kind.id);
  object.at("text").get_to(kind.text);
  kinds::Measured& measured = kind.measured;
  measured.count = number(object.at("count"));
  measured.total_ns = number(object.at("total_ns"));
  measured.max_ns = number(object.at("max_ns"));
  for (const json& range : object.at("histogram")) {
    // Ranges of other versions go where their least value belongs.
    measured.durations.add(number(range.at(0)), number(range.at(2)));
  }
  if (object.contains("slices")) {
    if (object.at("slices").size() > kinds::Slices::kMost)
      throw std::runtime_error("more slices than there can be");
    for (const json& slice : object.at("slices")) measured.slices.push_back(slice_from(slice));
  }
  return kind;
}

std::string_view last_line(std::string_view bytes) {
  while (!bytes.empty() && (bytes.back() == '\n' || bytes.back() == '\r')) bytes.remove_suffix(1);
  const size_t before = bytes.rfind('\n');
  return before == std::string_view::npos ? bytes : bytes.substr(before + 1);
}

}  // namespace

Result<SavedRun> parse_run(std::string_view bytes, const std::string& name) {
  SavedRun run;
  // Kinds are taken one by one: the whole as JSON would take ten times the memory.
  const auto take = [&](int depth, json::parse_event_t event, json& parsed) {
    const bool is_kind =
        depth == 2 && event == json::parse_event_t::object_end && parsed.contains("histogram");
    if (is_kind) run.kinds.push_back(kind_of(parsed));
    return !is_kind;
  };
  const std::string hint = "dbtrace histogram --save FILE makes such files";
  try {
    const std::string_view line = last_line(bytes);
    const json object = json::parse(line.begin(), line.end(), take);
    object.at("by").get_to(run.by);
    object.at("fingerprint").get_to(run.fingerprint);
    run.length_ns = number(object.at("length_ns"));
    run.count = number(object.at("count"));
    run.lost = number(object.at("lost"));
    run.incomplete = number(object.at("kinds_left_out")) > 0;
    (void)object.at("kinds");
  } catch (const std::exception& error) {
    return fail(fmt::format("{} is not a saved histogram: {}", name, error.what()), hint);
  }
  if (run.length_ns == 0)
    return fail(fmt::format("{} is not a saved histogram: it is about no time", name), hint);
  for (const SavedRun::Kind& kind : run.kinds) run.incomplete |= kind.id == "other";
  return run;
}

Result<SavedRun> read_run(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  char piece[65536];
  while (file.read(piece, sizeof piece), file.gcount() > 0) {
    bytes.append(piece, static_cast<size_t>(file.gcount()));
    if (bytes.size() > kLargestFile)
      return fail(fmt::format("{} is too large: more than {} MB", path, kLargestFile >> 20));
  }
  if (bytes.empty()) {
    const bool opened = file.is_open() && !file.bad();
    return fail(
        fmt::format("cannot read {}: {}", path, opened ? "it is empty" : std::strerror(errno)));
  }
  return parse_run(bytes, path);
}

}  // namespace dbtrace::commands
