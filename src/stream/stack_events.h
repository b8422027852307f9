// From the bytes of bpf/stack_event.h to captured stacks. Checked and copied, as in decoder.h.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <variant>

#include "src/stacks/capture.h"

namespace dbtrace::stream {

using StackEvent = std::variant<stacks::Capture, stacks::WaitEnd>;

// Nothing: the event is malformed.
[[nodiscard]] std::optional<StackEvent> decode_stack_event(std::span<const std::byte> event);

}  // namespace dbtrace::stream
