#include "src/commands/tracing/kind_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "src/commands/checks.h"

namespace dbtrace::commands {

using kinds::By;
using kinds::SortKey;
using sql::FingerprintMode;

CLI::Validator kinds_by() {
  return one_of<By>({{"fingerprint", By::Fingerprint},
                     {"db", By::Database},
                     {"user", By::User},
                     {"command", By::Command},
                     {"table", By::Table},
                     {"conn", By::Connection}});
}

void add_kind_options(CLI::App& command, kinds::KindOptions& options, const std::string& group) {
  constexpr uint64_t kMostKinds = 1'000'000;
  command
      .add_option("--by", options.by,
                  "What tells kinds: fingerprint, db, user, command, table or conn\n[fingerprint]")
      ->transform(kinds_by())
      ->type_name("WHAT")
      ->group(group);
  command
      .add_option("--fingerprint", options.mode,
                  "Whose fingerprints: mysql (the server's digests), pt (pt-query-digest's)\n"
                  "or pmm [mysql]")
      ->transform(one_of<FingerprintMode>({{"mysql", FingerprintMode::MySql},
                                           {"pt", FingerprintMode::Pt},
                                           {"pmm", FingerprintMode::Pmm}}))
      ->type_name("MODE")
      ->group(group);
  command
      .add_option("--max-kinds", options.max_kinds,
                  fmt::format("Tell this many apart; those that come later are (other) [{}]",
                              options.max_kinds))
      ->check(whole_number(1, kMostKinds))
      ->group(group);
}

void add_sort_option(CLI::App& command, SortKey& key, const std::string& group) {
  command
      .add_option("--sort", key,
                  "By total (time), count, mean, p99, max, io (time; with the budget) or\n"
                  "errors [total]")
      ->transform(one_of<SortKey>({{"total", SortKey::Total},
                                   {"count", SortKey::Count},
                                   {"mean", SortKey::Mean},
                                   {"p99", SortKey::P99},
                                   {"max", SortKey::Max},
                                   {"io", SortKey::Io},
                                   {"errors", SortKey::Errors}}))
      ->type_name("KEY")
      ->group(group);
}

}  // namespace dbtrace::commands
