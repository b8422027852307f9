// Arguments of a slice: names with values, by Perfetto's word debug annotations. Names stand in the
// trace once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

#include "src/output/perfetto/fields.h"

namespace dbtrace::output::perfetto {

// Strings that have a number, each told once, in a field of InternedData.
class Interned {
 public:
  explicit Interned(uint32_t field) : field_(field) {}

  // What is new is appended to `told`, a message InternedData. `text`: valid UTF-8.
  uint64_t of(std::string_view text, std::string& told);

 private:
  uint32_t field_;
  std::unordered_map<std::string, uint64_t> numbers_;
  std::string text_;
};

// Where names of arguments go that were not told before.
struct Names {
  Interned& names;
  std::string& told;
};

// Members of one message; texts are shown as for a person, which makes them valid UTF-8. Not for
// use by several threads at once.
class Arguments {
 public:
  // They are repeated in `field` of `message`, which nobody else may append to meanwhile.
  Arguments(protozero::pbf_writer& message, uint32_t field, Names names)
      : message_(message), field_(field), names_(names) {}

  void number(std::string_view name, uint64_t value);
  void signed_number(std::string_view name, int64_t value);
  void flag(std::string_view name);
  void text(std::string_view name, std::string_view value);
  // What is not known is left out.
  void number_if_known(std::string_view name, const std::optional<uint64_t>& value);
  void text_if_known(std::string_view name, const std::optional<std::string>& value);
  void number_unless_zero(std::string_view name, uint64_t value);

  // Arguments in an argument.
  void group(std::string_view name, const std::function<void(Arguments&)>& fill);
  // A list of such groups: `fill` is called with each of `count`.
  void list(std::string_view name, size_t count,
            const std::function<void(size_t, Arguments&)>& fill);

 private:
  [[nodiscard]] protozero::pbf_writer begin(std::string_view name);

  protozero::pbf_writer& message_;
  uint32_t field_;
  Names names_;
};

}  // namespace dbtrace::output::perfetto
