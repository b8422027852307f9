#include "src/output/perfetto/arguments.h"

#include "src/output/escape.h"

namespace dbtrace::output::perfetto {

using protozero::pbf_writer;

uint64_t Interned::of(std::string_view text, std::string& told) {
  text_.assign(text);
  // 0 stands for none.
  const auto [found, is_new] = numbers_.try_emplace(text_, numbers_.size() + 1);
  if (is_new) {
    pbf_writer data(told);
    pbf_writer entry(data, field_);
    entry.add_uint64(interned::kId, found->second);
    entry.add_string(interned::kText, text_);
  }
  return found->second;
}

pbf_writer Arguments::begin(std::string_view name) {
  pbf_writer argument(message_, field_);
  argument.add_uint64(annotation::kNameId, names_.names.of(name, names_.told));
  return argument;
}

void Arguments::number(std::string_view name, uint64_t value) {
  begin(name).add_uint64(annotation::kUint, value);
}

void Arguments::signed_number(std::string_view name, int64_t value) {
  begin(name).add_int64(annotation::kInt, value);
}

void Arguments::flag(std::string_view name) { begin(name).add_bool(annotation::kBool, true); }

void Arguments::text(std::string_view name, std::string_view value) {
  std::string visible;
  append_visible(visible, value);
  begin(name).add_string(annotation::kText, visible);
}

void Arguments::number_if_known(std::string_view name, const std::optional<uint64_t>& value) {
  if (value) number(name, *value);
}

void Arguments::text_if_known(std::string_view name, const std::optional<std::string>& value) {
  if (value) text(name, *value);
}

void Arguments::number_unless_zero(std::string_view name, uint64_t value) {
  if (value > 0) number(name, value);
}

void Arguments::group(std::string_view name, const std::function<void(Arguments&)>& fill) {
  pbf_writer argument = begin(name);
  Arguments members(argument, annotation::kMembers, names_);
  fill(members);
}

void Arguments::list(std::string_view name, size_t count,
                     const std::function<void(size_t, Arguments&)>& fill) {
  pbf_writer argument = begin(name);
  for (size_t i = 0; i < count; ++i) {
    pbf_writer element(argument, annotation::kElements);
    Arguments members(element, annotation::kMembers, names_);
    fill(i, members);
  }
}

}  // namespace dbtrace::output::perfetto
