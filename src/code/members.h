// From a small function's paths to the place of a member: "the function returns
// what lies at its argument 0 + 0x25d0" becomes a MemberPath.
//
// Each question below looks at every path of the function and answers only when
// all paths that have something to say agree; a default that one side of a null
// check returns (a constant) has nothing to say. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "src/code/trace.h"

namespace dbtrace::code {

// The way from an object to a member: for each of `loads` add it and load a
// pointer, then add `last`: there the member lies.
struct MemberPath {
  std::vector<int64_t> loads = {};
  int64_t last = 0;
  uint8_t width = 8;          // bytes the code reads or writes there
  bool address_only = false;  // the code handed out the member's address and did not read it
  bool pair = false;          // the 8 bytes behind it were handed out along with it (a length)

  friend bool operator==(const MemberPath&, const MemberPath&) = default;
};

// The object that a member is looked for in, where it is not argument 0.
inline constexpr int kAnyObject = -1;  // whatever the member is reached from
inline constexpr int kImage = -2;      // the program itself: its variables, by their addresses

// The member of argument `object` whose value (or address) the function returns.
[[nodiscard]] std::optional<MemberPath> returned_member(std::span<const Path> paths,
                                                        int object = 0);

// The member whose value it stores at *argument `out`.
[[nodiscard]] std::optional<MemberPath> stored_through(std::span<const Path> paths, int out);

// The first member of the object that it stores to.
[[nodiscard]] std::optional<MemberPath> first_store(std::span<const Path> paths);

// The member of argument `object` that it stores its argument `source` to.
[[nodiscard]] std::optional<MemberPath> store_of(std::span<const Path> paths, int source,
                                                 int object = 0);

// The member of kImage that it compares with constants.
[[nodiscard]] std::optional<MemberPath> compared_variable(std::span<const Path> paths);
// The pointer to that other object, a member of which it compares with a
// constant other than zero. A member of the object itself does not count.
[[nodiscard]] std::optional<MemberPath> compared_object(std::span<const Path> paths);

// The `number`th of the members of the object that it reads, counted from 0.
[[nodiscard]] std::optional<MemberPath> read_member(std::span<const Path> paths, int number,
                                                    int object = 0);

// The `number`th of the members, each counted once, that it reads of what the variable at
// address `variable` points at. Where it takes several ways, the one that reads most counts.
[[nodiscard]] std::optional<MemberPath> read_through_variable(std::span<const Path> paths,
                                                              uint64_t variable, int number);

// The constant that it stores to `member`, a member of kImage.
[[nodiscard]] std::optional<uint64_t> constant_stored(std::span<const Path> paths,
                                                      const MemberPath& member);

// The first member of the object that it stores anything but a constant to.
// nullopt when it stores the same to others: they cannot be told apart.
[[nodiscard]] std::optional<MemberPath> first_computed_store(std::span<const Path> paths);

// The distance from the thread pointer of the thread-local variable whose value
// it returns.
[[nodiscard]] std::optional<int64_t> returned_thread_local(std::span<const Path> paths);

// The member that it passes as argument `position` to the function at `callee`
// (0: to those that it calls through pointers), reached from argument `object`
// or, for kAnyObject, from any argument or from what another call returned.
[[nodiscard]] std::optional<MemberPath> call_argument(std::span<const Path> paths, uint64_t callee,
                                                      int position, int object = 0);

// First `first`, which leads to another object, then `second` in that object.
// nullopt when `first` ends at something too small to be a pointer.
[[nodiscard]] std::optional<MemberPath> compose(const MemberPath& first, const MemberPath& second);

// `path`, when it is to start at a part of the object that lies at `offset`.
[[nodiscard]] MemberPath from_part(MemberPath path, int64_t offset);

}  // namespace dbtrace::code
