#include "src/sandbox/call_filter.h"

#include <fmt/format.h>
#include <seccomp.h>

#include <cerrno>
#include <cstring>

#include "symbols/unique.h"

namespace dbtrace::sandbox {
namespace {

struct FilterTraits {
  using Handle = scmp_filter_ctx;
  static Handle none() { return nullptr; }
  static void release(Handle handle) { ::seccomp_release(handle); }
};
using Filter = Unique<FilterTraits>;

// A tree is searched instead of a list: a few comparisons a call.
constexpr uint32_t kTree = 2;

int add(const Filter& filter, const AllowedCall& call) {
  if (call.number < 0) return 0;
  if (!call.when) return ::seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, call.number, 0);
  const scmp_arg_cmp compared{call.when->index, SCMP_CMP_MASKED_EQ, call.when->mask,
                              call.when->value};
  return ::seccomp_rule_add_array(filter.get(), SCMP_ACT_ALLOW, call.number, 1, &compared);
}

}  // namespace

Result<void> filter_calls(const std::vector<AllowedCall>& allowed, Refusal refusal) {
  const auto failed = [](int error) {
    return fail(fmt::format("cannot filter system calls: {}", std::strerror(-error)));
  };
  const Filter filter(
      ::seccomp_init(refusal == Refusal::Kill ? SCMP_ACT_KILL_PROCESS : SCMP_ACT_ERRNO(EPERM)));
  if (!filter) return failed(-ENOMEM);
  int error = ::seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1);
  if (!error) error = ::seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, kTree);
  // The C library asks the older way then.
  if (!error) error = ::seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  for (const AllowedCall& call : allowed)
    if (!error) error = add(filter, call);
  if (!error) error = ::seccomp_load(filter.get());
  if (error) return failed(error);
  return {};
}

}  // namespace dbtrace::sandbox
