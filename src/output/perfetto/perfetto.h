// A trace for Perfetto (ui.perfetto.dev): a track a session below one for its server, a slice a
// query, statements in their commands; arguments say what is known of each; arrows lead from
// blockers to those whom they kept waiting. What a query waited for is in its arguments, as there
// are only sums: nothing is drawn where it may not have been.
//
// Its queries have to be known before the first is written: a Survey has seen them all, in the same
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/output/perfetto/flows.h"
#include "src/output/perfetto/sessions.h"
#include "src/output/sink.h"

namespace dbtrace::output::perfetto {

struct Survey {
  void add(const model::Query& query) {
    sessions.add(query);
    flows.add(query);
  }

  Sessions sessions;
  Flows flows;
};

struct Server {
  std::optional<uint32_t> pid;  // none: every process of its file
  std::string flavor;
  std::string title;  // "PostgreSQL 15.18"
};

struct TraceOptions {
  uint64_t begin_ns = 0;  // since the Unix epoch
  std::vector<Server> servers;
  // What a slice is called: the kind of its query. Good until the next call.
  std::function<std::string_view(const model::Query&)> name;
};

[[nodiscard]] std::unique_ptr<Sink> make_perfetto_sink(TraceOptions options, Survey survey);

}  // namespace dbtrace::output::perfetto
