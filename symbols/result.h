// Result<T>: a value or an Error that the caller must look at.
//
// Every fallible function of the project returns one, so that "what went wrong
// and what to do about it" travels as data up to the one place that prints it.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace dbtrace {

// What went wrong, in one sentence for a person; `hint` (may be empty) says
// what that person can do about it.
struct Error {
  std::string message;
  std::string hint;
};

template <typename T>
using Result = tl::expected<T, Error>;

// Shorthand for `return fail("no such file: /x", "check the path");`.
[[nodiscard]] inline tl::unexpected<Error> fail(std::string message, std::string hint = {}) {
  return tl::unexpected<Error>(Error{std::move(message), std::move(hint)});
}

}  // namespace dbtrace
