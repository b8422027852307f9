#include "src/commands/tracing/explain.h"

#include <fmt/format.h>

#include <array>

#include "src/commands/target_choice.h"
#include "src/commands/visible_lines.h"

namespace dbtrace::commands {
namespace {

// Integer argument registers of the two ABIs, in order.
constexpr std::array<std::string_view, 6> kX86Registers = {"rdi", "rsi", "rdx", "rcx", "r8", "r9"};

std::string register_name(code::Arch arch, int8_t argument) {
  if (arch == code::Arch::AArch64) return fmt::format("x{}", argument);
  return std::string(kX86Registers.at(static_cast<size_t>(argument)));
}

std::string line(std::string_view topic, std::string_view text) {
  return fmt::format("{:<12} {}\n", topic, visible_lines(text));
}

std::string_view purpose(attach::ProbePoint::Program program) {
  switch (program) {
    case attach::ProbePoint::Program::CommandBegin:
      return "begin of a command";
    case attach::ProbePoint::Program::CommandEnd:
      return "end of a command (return probe)";
    case attach::ProbePoint::Program::ExecutionBegin:
      return "text of a prepared statement";
    case attach::ProbePoint::Program::CommandComplete:
      return "what is gone at the return";
    case attach::ProbePoint::Program::StatementEnter:
      return "begin of a statement";
    case attach::ProbePoint::Program::StatementLeave:
      return "end of a statement (return probe)";
    case attach::ProbePoint::Program::WaitBegin:
      return "begin of a wait";
    case attach::ProbePoint::Program::WaitEnd:
      return "end of a wait";
    case attach::ProbePoint::Program::ReportBegin:
      return "begin of a command";
    case attach::ProbePoint::Program::ReportEnd:
      return "end of a command";
    case attach::ProbePoint::Program::ReportFailure:
      return "end of a command that fails";
    case attach::ProbePoint::Program::StatementComplete:
      return "end of a statement, its rows";
    case attach::ProbePoint::Program::ErrorBegin:
      return "begin of an error";
    case attach::ProbePoint::Program::ErrorNumber:
      return "an error's number";
    case attach::ProbePoint::Program::LeaderKnown:
      return "whom a worker works for";
    case attach::ProbePoint::Program::ExecutionEnter:
      return "begin of a statement";
    case attach::ProbePoint::Program::ExecutionLeave:
      return "end of a statement (return probe)";
  }
  return "";
}

// "begin of Execute", where a probe is about one command.
std::string purpose_of(const attach::ProbePoint& point, const profiles::Profile& profile) {
  std::string text(purpose(point.program));
  if (const auto* command = profiles::find_command(profile, point.command);
      command && point.command)
    text += fmt::format(": {}", command->name);
  return text;
}

std::string probe(const attach::ProbePoint& point, const profiles::Profile& profile) {
  const char* price = point.placement.emulated ? "emulated by the kernel: cheap"
                                               : "single-stepped by the kernel: dear";
  if (point.call)
    return fmt::format("{:<33} {} of {} at {:#x}, file offset {:#x} ({})",
                       purpose_of(point, profile), point.behind_call ? "return" : "call",
                       point.function.name.base, point.call, point.offset, price);
  return fmt::format("{:<33} {}+{}, file offset {:#x}: {} ({})", purpose_of(point, profile),
                     point.function.name.base, point.placement.delta, point.offset,
                     point.placement.instruction, price);
}

// "[[session+0x25f8]+0x8]": what the kernel program reads.
std::string path(const dbt_path& path, std::string_view object) {
  std::string text(object);
  for (uint8_t i = 0; i < path.steps; ++i) text = fmt::format("[{}+{:#x}]", text, path.offset[i]);
  return text;
}

std::string field(const attach::FieldPlan& field, bool forks) {
  const std::string_view name = profiles::field_name(field.field);
  if (field.path.steps == 0) return fmt::format("{:<16} -  {}", name, field.reason);
  const std::string_view object = field.field == profiles::Field::StatementText   ? "statement"
                                  : field.field == profiles::Field::CompletedRows ? "completion"
                                  : forks                                         ? "image"
                                                                                  : "session";
  return fmt::format("{:<16} {}  (from {})", name, path(field.path, object), field.origin);
}

std::string describe(const attach::ThreadSession& session) {
  if (session.image) return "its process";
  if (!session.offset) return "-  " + session.reason;
  return fmt::format("[thread pointer{:+#x}]  (from {})", *session.offset, session.origin);
}

}  // namespace

std::string describe_arguments(const attach::Plan& plan) {
  const profiles::DispatchShape& shape = *plan.shape;
  const auto name = [&](int8_t argument) { return register_name(plan.arch, argument); };
  std::string text =
      fmt::format("command in {}, session in {}, ", name(shape.command), name(shape.session));
  if (shape.layout == profiles::PacketLayout::ComData)
    text += fmt::format("text at [{0}+0] with its length at [{0}+8]", name(shape.packet));
  else
    text += fmt::format("text at {} with its length in {}", name(shape.packet), name(shape.length));
  return text;
}

std::string explain(const target::Server& server, const symbols::Finder& finder,
                    const attach::Plan& plan) {
  const symbols::Function& dispatch = plan.points.front().function;
  const std::string& build_id = finder.binary().build_id();

  std::string text = line("server", describe(server));
  text += line("build-id", build_id.empty() ? "none" : build_id);
  text += line("symbols", finder.tables_summary());
  for (const symbols::DebugFileAttempt& attempt : finder.debug_file_attempts())
    text += line("debug file", attempt.path + ": " + attempt.outcome);
  text += line("dispatcher", dispatch.name.full);
  text += line("", fmt::format("{}, from {} of {}", dispatch.raw, dispatch.table, dispatch.file));
  if (plan.shape->session >= 0) text += line("arguments", describe_arguments(plan));
  std::string_view topic = "probes";
  for (const attach::ProbePoint& point : plan.points) {
    text += line(topic, probe(point, *plan.profile));
    topic = "";
  }
  topic = "fields";
  for (const attach::FieldPlan& item : plan.fields) {
    if (item.path.steps == 0 && item.reason.empty()) continue;
    text += line(topic, field(item, plan.profile->forks));
    topic = "";
  }
  const attach::ThreadSession& session = plan.thread_session;
  text += line(topic, fmt::format("{:<16} {}", "thread's session", describe(session)));
  topic = "lost";
  for (const std::string& loss : plan.losses) {
    text += line(topic, loss);
    topic = "";
  }
  topic = "notes";
  for (const std::string& note : plan.notes) {
    text += line(topic, note);
    topic = "";
  }
  return text;
}

std::string explain_files(const Result<attach::FileHookChoice>& choice) {
  if (!choice) return line("file I/O", choice.error().message);
  std::string text(attach::file_hook_name(choice->hook));
  if (!choice->refused.empty())
    text += fmt::format(" (the kernel refuses {})", fmt::join(choice->refused, ", "));
  return line("file I/O", text);
}

}  // namespace dbtrace::commands
