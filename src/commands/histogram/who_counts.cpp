#include "src/commands/histogram/who_counts.h"

#include <fmt/format.h>

#include "bpf/kind_sums.h"
#include "src/attach/kind_counts.h"
#include "src/commands/tracing/query_choice.h"

namespace dbtrace::commands {
namespace {

using kinds::By;

// What a kind is made of, as far as the kernel can tell it; nothing if it cannot.
std::optional<uint32_t> kernel_key(By by) {
  switch (by) {
    case By::Fingerprint:
      return DBT_KIND_BY_TEXT;
    case By::Table:
      return DBT_KIND_BY_TEXT | DBT_KIND_BY_DATABASE;
    case By::Database:
      return DBT_KIND_BY_DATABASE;
    case By::Command:
      return 0;
    case By::Connection:
      return DBT_KIND_BY_CONNECTION;
    case By::User:
      return {};
  }
  return {};
}

}  // namespace

Result<std::optional<uint32_t>> who_counts(const HistogramOptions& options) {
  if (options.count_in == CountIn::User) return std::nullopt;
  const std::optional<uint32_t> key = kernel_key(options.kinds.by);
  const char* reason =
      !key ? "it does not know users"
      : options.kinds.by == By::Fingerprint && options.kinds.mode != sql::FingerprintMode::MySql
          ? "it tells kinds as --fingerprint mysql does"
      : !kernel_chooses(options.choice) ? "it cannot choose these queries"
      : !attach::kernel_counts_kinds()  ? "that needs Linux 5.17 or later"
                                        : nullptr;
  if (!reason) return key;
  if (options.count_in == CountIn::Auto) return std::nullopt;
  return fail(fmt::format("the kernel cannot count here: {}", reason),
              "leave out --count-in kernel");
}

}  // namespace dbtrace::commands
