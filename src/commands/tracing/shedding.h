// What is given up when tracing costs too much (--max-overhead): pure, from what it costs to what
// is to be done.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "src/attach/feature.h"
#include "src/commands/tracing/self_cost.h"

namespace dbtrace::commands {

class Shedding {
 public:
  // Of what the servers use (Cost::of_servers()); beyond it the user is told, once.
  static constexpr double kWorthAWord = 0.05;

  // `limit`: a part of what the servers use; none: nothing is given up. `ladder`: what may be
  // given up, in this order.
  Shedding(std::optional<double> limit, std::vector<attach::Feature> ladder);

  enum class What {
    Nothing,
    Warn,
    Shed,  // `feature`
    End,   // nothing is left to give up
  };
  struct Step {
    What what = What::Nothing;
    attach::Feature feature = {};
  };
  // What follows from a stretch, and the one before: one alone says little.
  [[nodiscard]] Step judge(const Cost& cost);

 private:
  double limit_;
  bool sheds_;
  std::vector<attach::Feature> ladder_;
  size_t given_up_ = 0;
  bool over_ = false;  // the stretch before was
  bool warned_ = false;
};

// "file operations"
[[nodiscard]] std::string_view feature_name(attach::Feature feature);

}  // namespace dbtrace::commands
