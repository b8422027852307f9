// What operations on files are told apart by: what they do, and whether anybody waits for
// them. How long the two sorts take cannot be compared.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/model/io_operation.h"

namespace dbtrace::commands {

enum class IoKind : uint8_t { Read, Write, Fsync, AsyncRead, AsyncWrite, AsyncFsync };
inline constexpr size_t kIoKinds = 6;

[[nodiscard]] constexpr IoKind kind_of(const model::IoOperation& operation) {
  return static_cast<IoKind>(static_cast<size_t>(operation.operation) +
                             (operation.asynchronous ? model::kFileOperations : 0));
}
[[nodiscard]] constexpr model::FileOperation operation_of(IoKind kind) {
  return static_cast<model::FileOperation>(static_cast<size_t>(kind) % model::kFileOperations);
}
[[nodiscard]] constexpr bool is_asynchronous(IoKind kind) { return kind >= IoKind::AsyncRead; }

// "read", "async_read".
[[nodiscard]] constexpr std::string_view name_of(IoKind kind) {
  constexpr std::array<std::string_view, kIoKinds> kNames = {
      "read", "write", "fsync", "async_read", "async_write", "async_fsync"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace dbtrace::commands
