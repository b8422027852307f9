#include "tests/runtime/tmux.h"

#include <csignal>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "tests/runtime/command.h"

namespace dbtrace::testing {
namespace {

// Unlike an interactive shell, this one leaves the terminal as the program has left it.
constexpr const char* kShell = R"(
folder=$1; shift
stty -g >"$folder/before"
sh -c 'echo $$ >"$1/pid"; shift; exec "$@"' sh "$folder" "$@"
code=$?
stty -g >"$folder/after"
echo "$code" >"$folder/code"
exec sleep 3600)";

}  // namespace

Tmux::Tmux(const std::vector<std::string>& arguments, int columns, int lines) {
  const auto socket = folder_.path() / "tmux";
  server_ = std::make_unique<ChildProcess>(
      ChildOptions{.arguments = {"/usr/bin/tmux", "-D", "-u", "-S", socket, "-f", "/dev/null"}});
  if (!wait_until([&] { return std::filesystem::exists(socket); }, std::chrono::seconds(30)))
    throw std::runtime_error("tmux does not start");
  std::vector<std::string> session = {
      "new-session", "-d",   "-x", std::to_string(columns), "-y", std::to_string(lines), "/bin/sh",
      "-c",          kShell, "sh", folder_.path().string()};
  session.insert(session.end(), arguments.begin(), arguments.end());
  (void)tmux({"set-option", "-g", "status", "off"});
  (void)tmux(session);
}

// Its programs end with their terminal.
Tmux::~Tmux() {
  server_->signal(SIGTERM);
  (void)server_->wait(std::chrono::seconds(10));
}

std::string Tmux::tmux(std::vector<std::string> arguments) const {
  std::vector<std::string> command = {"/usr/bin/tmux", "-u", "-S", folder_.path() / "tmux"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  DbtraceResult result = run_command(command);
  if (result.exit_code != 0)
    throw std::runtime_error("tmux " + arguments.front() + ": " + result.errors);
  return result.output;
}

std::string Tmux::text() const { return tmux({"capture-pane", "-p"}); }

std::vector<std::string> Tmux::screen() const {
  std::vector<std::string> lines;
  std::istringstream stream(text());
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool Tmux::wait_for(std::string_view wanted, std::chrono::seconds timeout) const {
  return wait_until([&] { return text().find(wanted) != std::string::npos; }, timeout);
}

bool Tmux::wait_until_gone(std::string_view unwanted) const {
  return wait_until([&] { return text().find(unwanted) == std::string::npos; },
                    std::chrono::seconds(30));
}

void Tmux::press(const std::string& key) const { (void)tmux({"send-keys", key}); }

void Tmux::resize(int columns, int lines) const {
  (void)tmux({"resize-window", "-x", std::to_string(columns), "-y", std::to_string(lines)});
}

pid_t Tmux::program() const { return std::stoi(read_file(folder_.path() / "pid")); }

int Tmux::wait() const {
  const auto code = folder_.path() / "code";
  if (!wait_until([&] { return !read_file(code).empty(); }, std::chrono::seconds(60)))
    throw std::runtime_error("it does not end:\n" + text());
  return std::stoi(read_file(code));
}

std::string Tmux::changes() const {
  std::string changes;
  if (variable("alternate_on") != "0") changes += "the other screen is shown; ";
  if (variable("cursor_flag") != "1") changes += "the cursor is hidden; ";
  if (variable("wrap_flag") != "1") changes += "lines do not wrap; ";
  const std::string before = read_file(folder_.path() / "before");
  const std::string after = read_file(folder_.path() / "after");
  if (before != after) changes += "stty says\n" + after + "instead of\n" + before;
  return changes;
}

std::string Tmux::variable(const std::string& name) const {
  std::string value = tmux({"display-message", "-p", "#{" + name + "}"});
  if (value.ends_with('\n')) value.pop_back();
  return value;
}

}  // namespace dbtrace::testing
