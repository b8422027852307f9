// The whole command line: every subcommand with its options and what it runs.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <vector>

namespace dbtrace::commands {

class CommandLine {
 public:
  CommandLine();

  [[nodiscard]] CLI::App& app() { return app_; }

  // Does what it says; the exit status.
  [[nodiscard]] int run(int argc, char** argv);

 private:
  struct Command {
    const CLI::App* app;
    std::function<int()> run;
  };

  template <typename Options>
  void add(CLI::App* (*describe)(CLI::App&, Options&), int (*execute)(const Options&)) {
    auto options = std::make_shared<Options>();  // stays where it is: the parser fills it in
    const CLI::App* app = describe(app_, *options);
    commands_.push_back({app, [options, execute] { return execute(*options); }});
  }

  CLI::App app_;
  std::vector<Command> commands_;
};

}  // namespace dbtrace::commands
