// The formats that make_sink() chooses from. Private to this room.
#pragma once

#include <memory>

#include "src/output/sink.h"

namespace dbtrace::output {

[[nodiscard]] std::unique_ptr<Sink> make_text_sink(const FormatOptions& options);
[[nodiscard]] std::unique_ptr<Sink> make_json_sink(const FormatOptions& options);
[[nodiscard]] std::unique_ptr<Sink> make_slowlog_sink();
[[nodiscard]] std::unique_ptr<Sink> make_pglog_sink();
[[nodiscard]] std::unique_ptr<Sink> make_csv_sink();

}  // namespace dbtrace::output
