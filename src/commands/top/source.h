// Source: where what `dbtrace top` shows comes from, servers or a recording.
#pragma once

#include "src/commands/top/action.h"
#include "src/commands/top/top.h"
#include "src/commands/top/top_state.h"
#include "src/commands/top/view.h"
#include "src/kinds/kinds.h"

namespace dbtrace::commands::top {

// Not thread-safe.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  // Changes only when it is told to.
  [[nodiscard]] virtual const TopState& state() const = 0;
  [[nodiscard]] virtual About about() const = 0;
  [[nodiscard]] virtual bool has_several_servers() const = 0;
  // What the user does, all of it: most is nothing to a source.
  virtual void act(const Action& action) = 0;
};

// What counts as one kind of a source's queries.
[[nodiscard]] kinds::KindOptions kind_options(const TopOptions& options, bool several_servers);

}  // namespace dbtrace::commands::top
