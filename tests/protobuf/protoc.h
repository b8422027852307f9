// Messages as protoc reads them.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace dbtrace::testing {

// Each field is a list of its values. Throws for what is no such message, for fields that the
// schema does not have, and for texts of proto3 that are not UTF-8. `type`: with its package.
[[nodiscard]] nlohmann::json decode_protobuf(const std::string& bytes,
                                             const std::filesystem::path& schema,
                                             const std::string& type);

}  // namespace dbtrace::testing
