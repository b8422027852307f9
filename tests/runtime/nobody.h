// dbtrace as the user nobody, with few capabilities.
#pragma once

#include <string>
#include <vector>

#include "tests/runtime/built_files.h"
#include "tests/runtime/command.h"

namespace dbtrace::testing {

class Nobody {
 public:
  // Other users than root may have no way into the folder of the build.
  Nobody() {
    std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
    std::filesystem::copy_file(kDbtrace, program_);
  }
  // `capabilities` as setpriv(1) has them: "-all,+bpf".
  [[nodiscard]] std::vector<std::string> command(const std::string& capabilities,
                                                 const std::vector<std::string>& arguments) const {
    std::vector<std::string> all = {"/usr/bin/setpriv",
                                    "--reuid=65534",
                                    "--regid=65534",
                                    "--clear-groups",
                                    "--inh-caps=" + capabilities,
                                    "--ambient-caps=" + capabilities,
                                    program_};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }
  [[nodiscard]] DbtraceResult run(const std::string& capabilities,
                                  const std::vector<std::string>& arguments) const {
    return run_command(command(capabilities, arguments));
  }

 private:
  TemporaryFolder folder_;
  std::filesystem::path program_ = folder_.path() / "dbtrace";
};

}  // namespace dbtrace::testing
