#include "src/attach/running/task_iterator.h"

#include <bpf/bpf.h>
#include <unistd.h>

#include <cerrno>

#include "src/attach/preflight.h"

namespace dbtrace::attach {

Result<TaskIterator> TaskIterator::open(const bpf_program* program) {
  TaskIterator iterator;
  iterator.link_ = Link(bpf_program__attach_iter(program, nullptr));
  if (!iterator.link_)
    return tl::unexpected(explain_failure("cannot look at the threads that run", errno));
  return iterator;
}

Result<std::vector<std::byte>> TaskIterator::read() const {
  const auto failed = [] {
    return tl::unexpected(explain_failure("cannot look at the threads that run", errno));
  };
  const UniqueFd walk(bpf_iter_create(bpf_link__fd(link_.get())));
  if (!walk) return failed();
  constexpr size_t kPiece = 64 * 1024;
  std::vector<std::byte> bytes;
  size_t size = 0;
  while (true) {
    bytes.resize(size + kPiece);
    const ssize_t got = ::read(walk.get(), bytes.data() + size, kPiece);
    // The kernel ends a long walk now and then to let others run.
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got < 0) return failed();
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace dbtrace::attach
