// What all commands that trace queries share: which servers, what is probed, and the
// life of a run, from attaching to the last event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/attach/tracer.h"
#include "src/commands/run.h"
#include "src/commands/target_choice.h"
#include "src/commands/tracing/attachments.h"
#include "src/commands/tracing/cost_watch.h"
#include "src/commands/tracing/follower.h"
#include "src/commands/tracing/loss_watch.h"
#include "src/output/writer.h"
#include "src/stream/decoder.h"
#include "src/target/server.h"
#include "symbols/result.h"

namespace dbtrace::sandbox {
struct Needs;
}

namespace dbtrace::commands {

struct SessionOptions {
  TargetOptions target;
  attach::PlanOptions plan;
  attach::TracerOptions tracer;  // file_hook comes from the next
  attach::FileHook file_io = attach::FileHook::Auto;
  std::string connection;  // profiles::Profile::file_namer; empty: servers are not asked
  std::optional<uint64_t> duration_ns;  // then the run ends
  std::optional<double> max_overhead;   // Shedding's limit
  // Sessions, files, and file operations that wait for their query: of each at most so many.
  size_t remembered = stream::Files::kMost;
  bool shows_cost = false;   // while it runs, not only at its end
  bool says_losses = false;  // while it runs: the command itself shows none
  // What the command can do without when tracing costs too much; the first goes first.
  std::vector<attach::Feature> droppable = {attach::Feature::Stacks, attach::Feature::Files,
                                            attach::Feature::Time};
  bool follow = false;      // on to the servers that take the place of those that end
  bool explain = false;     // only say what would be done
  bool keep_plans = false;  // for plan_of()
  bool database = false;    // run() writes one, of SQLite's: that file and others beside it
  bool new_files = false;   // run() writes files that are not open yet
  bool clients = false;     // run() answers those of a socket that listens already
  bool collector = false;   // run() calls on one
  bool sandbox = true;      // run() gives up what it does not need (sandbox::enter)
};

// What a command does with what the servers tell.
class Consumer {
 public:
  Consumer() = default;
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;
  virtual ~Consumer() = default;

  virtual void take(stream::Decoder& decoder, std::span<const std::byte> event) = 0;
  // Called several times a second, after what waited was taken. True: it has enough.
  virtual Result<bool> tick(Attachments& attachments) = 0;
  // A stack or the end of a wait (bpf/stack_event.h), if asked for: those of a command before
  // the command.
  virtual void take_stack(std::span<const std::byte> event) { (void)event; }
  // Nothing can be shown of some commands.
  virtual void take_loss(const output::Lost& lost) { (void)lost; }
  // The terminal has another size.
  virtual void resized() {}
  // The run has ended, but the probes are still there.
  virtual void ending(Attachments& attachments) { (void)attachments; }
  // Where a user types, and what is done when there is something to read: it is read.
  // False: there will be no more. A tick follows at once.
  [[nodiscard]] virtual int input_fd() const { return -1; }
  virtual bool input() { return false; }
};

// Not thread-safe.
class Session {
 public:
  // Which commands leave the kernel, by their numbers.
  using CommandChoice = std::function<std::vector<uint8_t>(const attach::Plan&)>;
  // Commands that carry text.
  [[nodiscard]] static std::vector<uint8_t> commands_with_text(const attach::Plan& plan);

  struct Failure {
    Error error;
    int exit_code;
  };
  template <typename T>
  using Attempt = tl::expected<T, Failure>;

  // Finds the servers and plans the probes. Attaches nothing.
  [[nodiscard]] static Attempt<Session> prepare(SessionOptions options, CommandChoice commands);
  // The plan in words; empty unless options.explain.
  [[nodiscard]] const std::string& explanation() const { return explanation_; }
  // The same of one server (target::Server::pid); empty unless options.keep_plans.
  [[nodiscard]] std::string plan_of(uint32_t pid) const;
  // Becomes readable when the run is to end.
  [[nodiscard]] int stop_fd() const { return stop_.fd(); }

  [[nodiscard]] Attempt<void> attach();
  // Whether events may be about several servers.
  [[nodiscard]] bool several() const;
  // Until the consumer, a signal, the time or the servers' end ends it.
  [[nodiscard]] Result<void> run(Consumer& consumer, output::Writer& out);
  // Removes all probes, once the consumer knows; what is left goes to it.
  void detach(Consumer& consumer);
  // Says how it went and what it cost. Returns the exit code. `account`: of the command;
  // `ran`: whether all went well.
  [[nodiscard]] int conclude(const Result<std::string>& account, const Result<void>& ran);

  // What tracing costs, since the probes are there.
  [[nodiscard]] const SelfCost& cost() const { return cost_->cost(); }
  [[nodiscard]] const Attachments& attachments() const { return *attachments_; }
  // Those that are traced or were, the latest last; of those that ended and were followed,
  // the successor.
  [[nodiscard]] const std::vector<target::Server>& servers() const { return servers_; }
  // Writes to standard error without ever waiting for long.
  void say(std::string_view text);
  // What is said goes to `listener` instead, until another one (or null) is given: while the
  // screen is somebody's.
  void tell(std::function<void(std::string_view)> listener) { listener_ = std::move(listener); }

 private:
  // Servers with everything that is needed to attach to them.
  struct Planned {
    std::vector<attach::TracedBinary> binaries;
    std::vector<stream::EventSource> sources;
  };
  Session(SessionOptions options, CommandChoice commands)
      : options_(std::move(options)), commands_(std::move(commands)) {}
  [[nodiscard]] Result<Planned> plan(const std::vector<target::Server>& servers);
  // Who knows what its files are called; null: their names say it.
  [[nodiscard]] Result<std::shared_ptr<profiles::FileNamer>> namer_of(
      const target::Server& server) const;
  [[nodiscard]] Result<void> await_names() const;
  void say_attached(const std::vector<target::Server>& servers);
  [[nodiscard]] sandbox::Needs needs() const;
  [[nodiscard]] Result<void> greet(const Result<target::Server>& server);

  SessionOptions options_;
  CommandChoice commands_;
  Stop stop_;
  std::vector<target::Server> servers_;
  Planned planned_;
  std::string explanation_;
  std::map<uint32_t, std::string> plans_;
  std::unique_ptr<Attachments> attachments_;
  std::unique_ptr<CostWatch> cost_;
  LossWatch losses_;
  Follower follower_{false};
  output::Writer messages_ = output::Writer::standard_error();
  std::function<void(std::string_view)> listener_;
};

}  // namespace dbtrace::commands
