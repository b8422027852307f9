// Live: servers that run as a source.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/commands/pace.h"
#include "src/commands/top/display.h"
#include "src/commands/top/source.h"
#include "src/commands/top/top.h"
#include "src/commands/tracing/session.h"
#include "src/commands/tracing/summary.h"
#include "src/model/filter.h"
#include "src/output/clock_text.h"

namespace dbtrace::commands::top {

// From events to pages. Not thread-safe.
class Live final : public Consumer, public Source {
 public:
  // All must outlive it.
  Live(const TopOptions& options, const model::Filter& filter, const Session& session,
       Display& display);

  void take(stream::Decoder& decoder, std::span<const std::byte> event) override;
  Result<bool> tick(Attachments& attachments) override;
  void resized() override;
  [[nodiscard]] int input_fd() const override { return display_.input_fd(); }
  bool input() override { return display_.input(*this); }

  [[nodiscard]] const TopState& state() const override { return state_; }
  [[nodiscard]] About about() const override;
  [[nodiscard]] bool has_several_servers() const override { return session_.several(); }
  void act(const Action& action) override;

  // When the run is over, the whole of it is told of, if there is no screen.
  [[nodiscard]] Result<void> finish(const Attachments& attachments);
  [[nodiscard]] Result<Tally> tally(const Attachments& attachments) const {
    return completed(tally_, attachments);
  }

 private:
  [[nodiscard]] Result<Look> look(const Attachments& attachments) const;
  [[nodiscard]] Result<void> end_interval(const Attachments& attachments);
  [[nodiscard]] Result<void> start_over(const Attachments& attachments);
  [[nodiscard]] Result<void> look_at_running(Attachments& attachments);

  const TopOptions& options_;
  const model::Filter& filter_;
  const Session& session_;
  Display& display_;
  const kinds::KindOptions kind_options_;
  TopState state_;
  Pace pace_;
  output::ClockText clock_{output::Zone::Local, "%H:%M:%S"};
  std::string ended_at_;  // the interval
  std::vector<model::Query> running_;
  Tally tally_{.shown_as = "counted"};
  uint64_t shown_ = 0;
  bool start_over_ = false;
  bool wants_running_ = false;
};

}  // namespace dbtrace::commands::top
