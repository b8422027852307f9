// Pages in a real browser, without a window: Chromium.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace dbtrace::output {

// Where it is, if it is installed.
[[nodiscard]] std::optional<std::string> browser();

// The document as it is after the page's scripts have run. Throws when it does not come.
[[nodiscard]] std::string document_of(std::string_view page, const std::string& options = {});

// What `script`, the body of a function that runs after the page's own scripts, returns. The
// page's policy is changed so that it may run. Throws what the script throws.
[[nodiscard]] nlohmann::json result_in(std::string_view page, std::string_view script,
                                       const std::string& options = {});

}  // namespace dbtrace::output
