#include "src/commands/replay/countable.h"

namespace dbtrace::commands {
namespace {

using kinds::By;

// Whether some queries are left out, by what is no part of their kind.
bool chooses(const QueryChoice& choice) {
  const model::FilterOptions& filter = choice.filter;
  return !kernel_chooses(choice) || filter.slower_than_ns || !filter.connections.empty() ||
         !filter.commands.empty();
}

}  // namespace

Result<void> can_count(const recording::Reader& reader, const kinds::KindOptions& kinds,
                       const QueryChoice& choice) {
  if (kinds.by == By::Fingerprint && kinds.mode != sql::FingerprintMode::MySql &&
      !reader.has_literals())
    return fail("the recording has fingerprints for texts, those of --fingerprint mysql",
                "dbtrace record --literals keeps texts");
  if (!reader.is_sampled()) return {};
  if (kinds.by != By::Fingerprint) return tl::unexpected(needs_every_query("--by"));
  if (chooses(choice)) return tl::unexpected(needs_every_query("a choice of queries"));
  return {};
}

Error needs_every_query(const std::string& what) {
  return {what +
              " needs every query, and of some the recording has only what all of their kind "
              "came to",
          "dbtrace record --max-rate 0 keeps all; dbtrace queries --from shows those it has"};
}

}  // namespace dbtrace::commands
