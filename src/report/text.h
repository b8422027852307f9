// A report as plain text that fits a mail.
#pragma once

#include <cstddef>
#include <string>

#include "src/report/about.h"
#include "src/report/collector.h"

namespace dbtrace::report {

// Whatever the recording holds.
inline constexpr size_t kTextColumns = 100;
inline constexpr size_t kTextLines = 60;

// `collector`: after its last end_bucket().
void append_text(const About& about, const Collector& collector, std::string& out);

}  // namespace dbtrace::report
