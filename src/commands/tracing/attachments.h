// The probes of a run: one tracer for the servers that it began with, and one for
// each that came later. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "src/attach/tracer.h"
#include "src/commands/tracing/traced.h"
#include "src/stream/decoder.h"
#include "symbols/result.h"
#include "symbols/unique.h"

namespace dbtrace::commands {

class Attachments : public Traced {
 public:
  // Events, with the decoder that knows the servers they are about.
  using Handler = std::function<void(stream::Decoder&, std::span<const std::byte>)>;

  // Stacks and ends of waits (bpf/stack_event.h).
  using StackHandler = std::function<void(std::span<const std::byte>)>;

  // `remembered`: sessions, and files, of each decoder (stream::Decoder).
  Attachments(const attach::TracerOptions& options, size_t remembered);
  // Who gets stacks, if they are asked for: those of a command before the command.
  void set_stack_handler(StackHandler handler) { stack_handler_ = std::move(handler); }

  // Attaches to servers at once; `sources` tells the same servers to the decoder.
  [[nodiscard]] Result<void> add(std::vector<attach::TracedBinary> binaries,
                                 std::vector<stream::EventSource> sources);
  [[nodiscard]] attach::Mechanism mechanism() const { return mechanism_; }

  // The traced processes that have not ended.
  [[nodiscard]] const std::set<uint32_t>& processes() const override { return processes_; }
  // A process has ended. What is left to tell about it goes to `handler`; probes
  // that are for nobody any more are removed.
  void ended(uint32_t pid, const Handler& handler);

  // Becomes readable when a tracer's ring_fd does.
  [[nodiscard]] int ring_fd() const { return rings_.get(); }
  // Hands out waiting events; true: there are more.
  [[nodiscard]] bool drain(const Handler& handler);
  // Hands out the commands that run at this moment (attach::Tracer::running).
  [[nodiscard]] Result<void> running(const Handler& handler);
  // Hands out the stacks of threads that wait (attach::Tracer::look_at_waits).
  [[nodiscard]] Result<void> look_at_waits();
  // Of all attachments, those that are gone included (attach::Tracer::wait_sums).
  [[nodiscard]] Result<model::WaitSums> wait_sums() const;
  // Of all attachments, those that are gone included (attach::Tracer::kind_sums). One kind
  // may be in it several times.
  [[nodiscard]] Result<attach::KindSums> kind_sums() const;
  void set_clock_offset(int64_t nanoseconds);
  // Of all servers (stream::Files::take_renamed).
  [[nodiscard]] stream::Files::Renamed take_renamed_files();

  // Of all attachments, those that are gone included (attach::Tracer::run_cost).
  [[nodiscard]] Result<attach::RunCost> run_cost() const override;
  // Of those that are to come, too (attach::Tracer::shed).
  void shed(attach::Feature feature) override;

  [[nodiscard]] bool has_shed(attach::Feature feature) const {
    return std::ranges::find(shed_, feature) != shed_.end();
  }

  // Removes all probes and hands out what is left.
  void detach(const Handler& handler);
  // Of all attachments, those that are gone included.
  [[nodiscard]] Result<attach::Counters> counters() const;
  [[nodiscard]] uint64_t malformed() const;

 private:
  struct Attachment {
    std::vector<attach::TracedBinary> binaries;
    stream::Decoder decoder;
    attach::Tracer tracer;
    [[nodiscard]] Result<model::WaitSums> wait_sums() const;
  };
  [[nodiscard]] bool is_over(const Attachment& attachment) const;
  // Hands out waiting events of one attachment; true: there are more.
  bool drain(Attachment& attachment, const Handler& handler);
  void drain_stacks(Attachment& attachment);
  void close(Attachment& attachment, const Handler& handler);
  // Takes what was counted to what others had counted.
  [[nodiscard]] Result<void> keep_sums(const attach::Tracer& tracer);

  attach::TracerOptions options_;
  size_t remembered_;
  attach::Mechanism mechanism_ = attach::Mechanism::Auto;
  UniqueFd rings_;  // an epoll of them
  std::list<Attachment> attachments_;
  std::set<uint32_t> processes_;
  Result<void> past_told_;   // an error: of attachments that are gone something is not known
  attach::Counters past_{};  // of those that are
  attach::RunCost past_cost_;
  uint64_t past_malformed_ = 0;
  model::WaitSums past_waits_;
  std::map<uint64_t, model::Sums> past_kinds_;  // by key: servers may come and go for months
  StackHandler stack_handler_;
  std::vector<attach::Feature> shed_;
  int64_t clock_offset_ = 0;
};

}  // namespace dbtrace::commands
