#include "src/commands/top/source.h"

#include "src/output/redact.h"

namespace dbtrace::commands::top {

kinds::KindOptions kind_options(const TopOptions& options, bool several_servers) {
  kinds::KindOptions kinds = options.kinds;
  kinds.several_servers = several_servers;
  kinds.redact = output::redact;
  return kinds;
}

}  // namespace dbtrace::commands::top
