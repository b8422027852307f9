// What `dbtrace doctor` finds: plain values, and what they come to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dbtrace::commands {

enum class CheckState {
  Ok,
  Degraded,  // works, but something is lost
  Missing,   // without it nothing works
};

[[nodiscard]] std::string_view state_name(CheckState state);

struct Check {
  std::string subject;  // "kernel"
  CheckState state = CheckState::Ok;
  std::string found;
  std::string lost = {};    // what cannot be had
  std::string advice = {};  // what to do about it
};

// Checks that are about one thing.
struct Section {
  enum class About { Machine, Server, Canary };
  About about = About::Machine;
  std::string title;
  std::vector<Check> checks;
};

struct Verdict {
  CheckState state = CheckState::Ok;  // of `dbtrace queries`
  std::string text;                   // in one sentence
};

[[nodiscard]] Verdict verdict(const std::vector<Section>& sections);

}  // namespace dbtrace::commands
