// dbtrace_manual FOLDER: writes manual pages and completions, for the build to install.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "src/commands/command_line.h"
#include "src/manual/manual.h"

namespace {

namespace fs = std::filesystem;

// Throws when it cannot: the build must not go on.
void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream file;
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file.open(path, std::ios::trunc);
  file << text << std::flush;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace dbtrace::manual;
  if (argc != 2) {
    std::cerr << "Usage: dbtrace_manual FOLDER\n";
    return 2;
  }
  const fs::path folder = argv[1];
  dbtrace::commands::CommandLine line;
  const Manual manual = read_manual(line.app());
  const auto write_page = [&](const Command& command) {
    write(folder / "man1" / (page_name(manual, command) + ".1"), page(manual, command));
  };
  write_page(manual.program);
  for (const Command& command : manual.commands) write_page(command);
  // Called as the shells look for them.
  write(folder / "bash/dbtrace", bash_completion(manual));
  write(folder / "zsh/_dbtrace", zsh_completion(manual));
  write(folder / "fish/dbtrace.fish", fish_completion(manual));
}
