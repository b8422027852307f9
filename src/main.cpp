// dbtrace: the command line, which src/commands/command_line describes.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <string_view>

#include "src/commands/command_line.h"

namespace {

// A standard stream that is closed must not become the first file opened. Opened
// the wrong way round, it stays as useless as it was.
void fill_closed_streams() {
  for (const int fd : {0, 1, 2})
    if (::fcntl(fd, F_GETFD) == -1) (void)::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

// Whoever owns a program's file may shorten it while it is looked at.
void end_for_a_short_file(int) {
  constexpr std::string_view kText = "dbtrace: a file became shorter while it was read\n";
  (void)!::write(STDERR_FILENO, kText.data(), kText.size());
  ::_exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  fill_closed_streams();
  (void)::signal(SIGBUS, end_for_a_short_file);
  return dbtrace::commands::CommandLine().run(argc, argv);
}
