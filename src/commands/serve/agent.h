// From events and the kernel's sums to pages: the consumer of `dbtrace serve`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/commands/histogram/counter.h"
#include "src/commands/serve/metrics.h"
#include "src/commands/serve/serve.h"
#include "src/commands/tracing/session.h"
#include "src/http/page_server.h"
#include "src/model/filter.h"

namespace dbtrace::commands {

// A page is made when somebody asks for it: who is not asked costs what counting costs. Not
// thread-safe.
class Agent final : public Consumer {
 public:
  Agent(const ServeOptions& options, const model::Filter& filter, bool kernel_counts,
        const Session& session, output::Writer& writer, http::PageServer& pages);

  void take(stream::Decoder& decoder, std::span<const std::byte> event) override {
    counter_.take(decoder, event);
  }
  Result<bool> tick(Attachments& attachments) override;
  // Clients are answered by the tick that follows.
  [[nodiscard]] int input_fd() const override { return pages_.fd(); }
  bool input() override { return true; }

  [[nodiscard]] Result<void> finish(const Attachments& attachments) {
    return counter_.finish(attachments);
  }
  [[nodiscard]] Result<Tally> tally(const Attachments& attachments) const {
    return counter_.tally(attachments);
  }

 private:
  [[nodiscard]] Result<std::string> page(Attachments& attachments);
  [[nodiscard]] std::vector<target::Server> traced(const Attachments& attachments) const;
  [[nodiscard]] Result<Tracing> tracing(Attachments& attachments) const;

  const model::Filter& filter_;
  const Session& session_;
  http::PageServer& pages_;
  KindCounter counter_;
};

}  // namespace dbtrace::commands
