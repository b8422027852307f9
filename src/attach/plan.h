// The attach plan: what a profile asks for, joined with what one binary really
// contains. Pure data, made without touching the kernel or the server, so that
// it can be printed (`--explain`), tested, and refused before anything happens.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bpf/event.h"
#include "profiles/profile.h"
#include "src/attach/running/thread_session.h"
#include "src/code/placement.h"
#include "symbols/finder.h"
#include "symbols/result.h"

namespace dbtrace::attach {

// One probe, and the BPF program that it runs.
struct ProbePoint {
  enum class Program {
    CommandBegin,
    CommandEnd,
    ExecutionBegin,  // of a prepared statement
    CommandComplete,
    StatementEnter,
    StatementLeave,
    WaitBegin,
    WaitEnd,
    ReportBegin,  // of a command
    ReportEnd,
    ReportFailure,
    StatementComplete,
    ErrorBegin,
    ErrorNumber,
    LeaderKnown,
    ExecutionEnter,
    ExecutionLeave,
  };
  Program program;
  symbols::Function function;
  code::Placement placement;
  uint64_t offset = 0;  // of the probed instruction in the binary's file
  // Of a call of `function` that is probed instead of it, or of where it returns to: the
  // link-time address, and the command that it is about.
  uint64_t call = 0;
  bool behind_call = false;
  uint8_t command = 0;
};

// One field of the session: where it lies, or why it cannot be had.
struct FieldPlan {
  profiles::Field field;
  dbt_path path{};     // steps 0: cannot be had
  std::string origin;  // "thd_get_thread_id" and the like; empty when not found
  std::string reason;  // why not; empty when it was found, or is not needed
};

struct Plan {
  const profiles::Profile* profile = nullptr;
  const profiles::DispatchShape* shape = nullptr;
  code::Arch arch = code::Arch::X86_64;
  std::vector<ProbePoint> points;
  std::vector<FieldPlan> fields;
  ThreadSession thread_session;
  // What cannot be had, besides fields, and why: one sentence each.
  std::vector<std::string> losses;
  // What was seen and deliberately not probed, and the like: one sentence each.
  std::vector<std::string> notes;
  // The same, as the BPF programs want it (only_tgid and the SEND bits of
  // `commands` are the caller's to set).
  dbt_plan kernel{};
};

struct PlanOptions {
  // Learn the rows examined also where that costs a probe of its own
  // (Profile::completion).
  bool rows_examined = false;
  // Also tell of the statements inside commands (Profile::statement).
  bool statements = false;
  // Learn what the server waits for (Profile::wait_hooks).
  bool waits = false;
};

// Errors: the dispatch function cannot be found (says where was looked), has
// parameters of an unknown shape (says which), or cannot be probed safely.
[[nodiscard]] Result<Plan> make_plan(symbols::Finder& finder, const profiles::Profile& profile,
                                     const PlanOptions& options = {});

// How the text of a command is found on this server; None also for unknown commands.
[[nodiscard]] profiles::TextRule text_rule(const Plan& plan, uint8_t command);

// Which commands leave the kernel: those in `ids`, by setting DBT_COMMAND_SEND.
void send_only(Plan& plan, const std::vector<uint8_t>& ids);

}  // namespace dbtrace::attach
