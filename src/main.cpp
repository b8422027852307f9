// dbtrace: the command line, which src/commands/command_line describes.
#include <fcntl.h>

#include "src/commands/command_line.h"

namespace {

// A standard stream that is closed must not become the first file opened. Opened
// the wrong way round, it stays as useless as it was.
void fill_closed_streams() {
  for (const int fd : {0, 1, 2})
    if (::fcntl(fd, F_GETFD) == -1) (void)::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
  fill_closed_streams();
  return dbtrace::commands::CommandLine().run(argc, argv);
}
