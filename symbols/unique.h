// One owner for every C handle: Unique<Traits> releases what it holds exactly
// once. A handle type is an alias with a three-line traits struct.
#pragma once

#include <unistd.h>

#include <utility>

namespace dbtrace {

// Traits: `using Handle`, `static Handle none()`, `static void release(Handle)`.
template <typename Traits>
class Unique {
 public:
  using Handle = typename Traits::Handle;

  Unique() = default;
  explicit Unique(Handle handle) : handle_(handle) {}
  Unique(Unique&& other) noexcept : handle_(other.take()) {}
  Unique& operator=(Unique&& other) noexcept {
    if (this != &other) reset(other.take());
    return *this;
  }
  Unique(const Unique&) = delete;
  Unique& operator=(const Unique&) = delete;
  ~Unique() { reset(); }

  [[nodiscard]] Handle get() const { return handle_; }
  [[nodiscard]] bool valid() const { return handle_ != Traits::none(); }
  explicit operator bool() const { return valid(); }

  // Gives the handle away; the caller owns it from now on.
  [[nodiscard]] Handle take() { return std::exchange(handle_, Traits::none()); }

  void reset(Handle handle = Traits::none()) {
    if (valid()) Traits::release(handle_);
    handle_ = handle;
  }

 private:
  Handle handle_ = Traits::none();
};

struct FdTraits {
  using Handle = int;
  static int none() { return -1; }
  static void release(int fd) { ::close(fd); }
};

// An open file descriptor.
using UniqueFd = Unique<FdTraits>;

}  // namespace dbtrace
