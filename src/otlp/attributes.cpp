#include "src/otlp/attributes.h"

#include "src/otlp/fields.h"
#include "src/output/metrics.h"

namespace dbtrace::otlp {

using protozero::pbf_writer;

void add_text(pbf_writer& message, uint32_t field, std::string_view key, std::string_view value) {
  pbf_writer attribute(message, field);
  attribute.add_string(key_value::kKey, key.data(), key.size());
  pbf_writer of(attribute, key_value::kValue);
  of.add_string(any_value::kText, output::label_value(value));
}

void add_number(pbf_writer& message, uint32_t field, std::string_view key, int64_t value) {
  pbf_writer attribute(message, field);
  attribute.add_string(key_value::kKey, key.data(), key.size());
  pbf_writer of(attribute, key_value::kValue);
  of.add_int64(any_value::kInt, value);
}

std::string request_of(const Attributes& resource, std::string_view version,
                       std::string_view items) {
  std::string request;
  request.reserve(items.size() + 1024);
  pbf_writer all(request);
  pbf_writer of_resource(all, request::kOfResources);
  {
    pbf_writer attributes(of_resource, request::kResource);
    for (const auto& [key, value] : resource) {
      if (const auto* number = std::get_if<int64_t>(&value))
        add_number(attributes, resource::kAttributes, key, *number);
      else
        add_text(attributes, resource::kAttributes, key, std::get<std::string>(value));
    }
  }
  std::string of_scope;
  of_scope.reserve(items.size() + 128);
  {
    pbf_writer writer(of_scope);
    pbf_writer scope(writer, request::kScope);
    scope.add_string(scope::kName, "dbtrace");
    scope.add_string(scope::kVersion, version.data(), version.size());
  }
  of_scope += items;
  of_resource.add_message(request::kOfScopes, of_scope);
  of_resource.commit();
  return request;
}

}  // namespace dbtrace::otlp
