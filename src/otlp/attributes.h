// Attributes: names with values, of resources, points and spans.
#pragma once

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dbtrace::otlp {

// Text: any bytes; what is not printable UTF-8 is escaped.
using Attribute = std::pair<std::string, std::variant<std::string, int64_t>>;
using Attributes = std::vector<Attribute>;

// Repeats `field` of `message` once more, which nobody else may append to meanwhile.
void add_text(protozero::pbf_writer& message, uint32_t field, std::string_view key,
              std::string_view value);
void add_number(protozero::pbf_writer& message, uint32_t field, std::string_view key,
                int64_t value);

// One resource and one scope, which is dbtrace, with what `items` (repeated, written already) has.
[[nodiscard]] std::string request_of(const Attributes& resource, std::string_view version,
                                     std::string_view items);

}  // namespace dbtrace::otlp
