// From events and the kernel's sums to pages and pushes: the consumer of `dbtrace serve`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/commands/histogram/counter.h"
#include "src/commands/serve/metrics.h"
#include "src/commands/serve/push.h"
#include "src/commands/serve/serve.h"
#include "src/commands/tracing/session.h"
#include "src/http/page_server.h"
#include "src/model/filter.h"

namespace dbtrace::commands {

// What is counted is told when somebody asks for it, and when it is time to push: who does neither
// costs what counting costs. Not thread-safe.
class Agent final : public Consumer {
 public:
  // `push`: null when nobody is sent to.
  Agent(const ServeOptions& options, const model::Filter& filter, bool kernel_counts,
        Session& session, output::Writer& writer, http::PageServer& pages, Push* push);

  void take(stream::Decoder& decoder, std::span<const std::byte> event) override;
  Result<bool> tick(Attachments& attachments) override;
  // Clients are answered by the tick that follows.
  [[nodiscard]] int input_fd() const override { return pages_.fd(); }
  bool input() override { return true; }

  // When all probes are gone: the last push has all that was counted.
  [[nodiscard]] Result<void> finish(const Attachments& attachments);
  [[nodiscard]] Result<Tally> tally(const Attachments& attachments) const {
    return counter_.tally(attachments);
  }

 private:
  // With what runs at this moment.
  [[nodiscard]] Result<void> tell_now(Attachments& attachments, output::Metrics& out);
  [[nodiscard]] Result<void> tell(const Attachments& attachments, const Running& running,
                                  output::Metrics& out);
  [[nodiscard]] std::vector<target::Server> traced(const Attachments& attachments) const;
  [[nodiscard]] Result<Running> running(Attachments& attachments) const;

  const model::Filter& filter_;
  Session& session_;
  http::PageServer& pages_;
  Push* push_;
  KindCounter counter_;
};

}  // namespace dbtrace::commands
