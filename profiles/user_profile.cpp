#include "profiles/user_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <optional>

namespace dbtrace::profiles {
namespace {

using Answer = std::optional<std::string>;  // why a line is wrong

constexpr size_t kMostBytes = 64 * 1024;
constexpr std::string_view kBlanks = " \t\r";
// Integer arguments in registers on both processors.
constexpr size_t kMostArguments = 6;

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t end = 0; end != std::string_view::npos;
       text.remove_prefix(std::min(end + 1, text.size()))) {
    end = text.find(separator);
    parts.push_back(trim(text.substr(0, end)));
  }
  return parts;
}

std::string_view keep(std::string_view text) {
  static std::deque<std::string> kept;
  return kept.emplace_back(text);
}

bool is_plain_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

// "connection id" for Field::ConnectionId, as --explain writes it.
std::optional<Field> field_named(std::string_view name) {
  for (size_t i = 0; i < kFieldCount; ++i)
    if (field_name(static_cast<Field>(i)) == name) return static_cast<Field>(i);
  return std::nullopt;
}

bool is_number(Field field) {
  return field == Field::ConnectionId || field == Field::RowsSent || field == Field::RowsExamined ||
         field == Field::ErrorNumber;
}

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  Result<Profile> read(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) {
      ++line_;
      if (line.empty() || line.front() == '#') continue;
      if (auto wrong = take(line))
        return fail(fmt::format("{}:{}: {}", file_, line_, *wrong),
                    "docs/profiles.md has the format");
    }
    return finish();
  }

 private:
  Answer take(std::string_view line) {
    const size_t sign = line.find('=');
    if (sign == std::string_view::npos) return "this is no NAME = VALUE";
    const std::string_view key = trim(line.substr(0, sign)), value = trim(line.substr(sign + 1));
    if (value.empty()) return fmt::format("{} has no value", key);
    if (key == "base") return base(value);
    if (!has_base_) return "the first line must be base = mysql or base = mariadb";
    if (key.starts_with("rename ")) return rename(trim(key.substr(7)), value);
    if (key.starts_with("field ")) return field(trim(key.substr(6)), value);
    if (key == "flavor") return flavor(value);
    if (key == "shape") return shape(value);
    const std::string_view kept = keep(value);
    if (key == "title") return set(profile_.title, kept);
    if (key == "version") return set(profile_.version_symbol, kept);
    if (key == "dispatch") return set(profile_.dispatch, kept);
    if (key == "statement") return set(profile_.statement, kept);
    if (key == "executable") return add(profile_.executables, kept, executables_);
    if (key == "marker") return add(profile_.marker_prefixes, kept, markers_);
    if (key == "execution") return add(profile_.statement_execution, kept, executions_);
    return fmt::format(
        "'{}' is none of base, flavor, title, executable, marker, version, dispatch, "
        "shape, statement, execution, rename FUNCTION, field NAME",
        key);
  }

  Answer base(std::string_view name) {
    if (has_base_) return "base is said twice";
    for (const Profile& each : built_in())
      if (each.flavor == name && each.reports.function.empty()) {
        profile_ = each;
        has_base_ = true;
        return {};
      }
    return fmt::format("base '{}' is neither mysql nor mariadb", name);
  }

  Answer flavor(std::string_view name) {
    if (!is_plain_name(name)) return "a flavor is of small letters, digits, '-' and '_'";
    for (const Profile& each : all())
      if (each.flavor == name) return fmt::format("there is a flavor {} already", name);
    return set(profile_.flavor, keep(name));
  }

  static Answer set(std::string_view& to, std::string_view value) {
    to = value;
    return {};
  }

  // The first one takes the place of the base's.
  static Answer add(std::vector<std::string_view>& to, std::string_view value, bool& own) {
    if (!own) to.clear();
    own = true;
    to.push_back(value);
    return {};
  }

  // "THD*, COM_DATA const*, enum_server_command : session data command"
  Answer shape(std::string_view value) {
    const size_t colon = value.rfind(" : ");
    if (colon == std::string_view::npos)
      return "a shape is PARAMETERS : ROLES, with ' : ' between them";
    const std::vector<std::string_view> parameters = split(value.substr(0, colon), ',');
    std::vector<std::string_view> roles = split(value.substr(colon + 3), ' ');
    std::erase(roles, "");
    if (roles.size() != parameters.size())
      return fmt::format("{} parameters and {} roles", parameters.size(), roles.size());
    std::map<std::string_view, int8_t> places;
    for (size_t i = 0; i < roles.size(); ++i) {
      if (roles[i] == "-") continue;
      static constexpr std::array<std::string_view, 5> kRoles = {"command", "session", "data",
                                                                 "packet", "length"};
      if (std::ranges::find(kRoles, roles[i]) == kRoles.end())
        return fmt::format("role '{}' is none of {}, -", roles[i], fmt::join(kRoles, ", "));
      if (i >= kMostArguments)
        return fmt::format("only the first {} arguments can be read", kMostArguments);
      if (!places.emplace(roles[i], static_cast<int8_t>(i)).second)
        return fmt::format("role {} is said twice", roles[i]);
    }
    const auto place = [&](std::string_view role) {
      const auto found = places.find(role);
      return found == places.end() ? int8_t{-1} : found->second;
    };
    const bool data = place("data") >= 0;
    if (place("command") < 0 || place("session") < 0) return "a shape needs command and session";
    if (data ? place("packet") >= 0 || place("length") >= 0
             : place("packet") < 0 || place("length") < 0)
      return "a shape has either data, or packet and length";
    DispatchShape shape{.parameters = {},
                        .layout = data ? PacketLayout::ComData : PacketLayout::RawPacket,
                        .command = place("command"),
                        .session = place("session"),
                        .packet = data ? place("data") : place("packet"),
                        .length = data ? int8_t{-1} : place("length"),
                        .suspended_result = -1};
    for (const std::string_view parameter : parameters) shape.parameters.push_back(keep(parameter));
    profile_.shapes.push_back(std::move(shape));
    return {};
  }

  Answer rename(std::string_view from, std::string_view to) {
    const std::string_view name = keep(to);
    bool found = false;
    const auto replace = [&](std::string_view& each) {
      if (each != from) return;
      each = name;
      found = true;
    };
    replace(profile_.dispatch);
    replace(profile_.statement);
    replace(profile_.completion);
    replace(profile_.completing_execution);
    for (std::string_view& each : profile_.statement_execution) replace(each);
    for (FieldRule& rule : profile_.fields)
      for (std::vector<Step>* steps : {&rule.steps, &rule.minus})
        for (Step& step : *steps) replace(step.function), replace(step.callee);
    if (!found) return fmt::format("the profile looks at no function {}", from);
    return {};
  }

  Answer field(std::string_view name, std::string_view function) {
    const std::optional<Field> field = field_named(name);
    if (!field) {
      std::vector<std::string_view> names;
      for (size_t i = 0; i < kFieldCount; ++i) names.push_back(field_name(static_cast<Field>(i)));
      return fmt::format("field '{}' is none of {}", name, fmt::join(names, ", "));
    }
    std::erase_if(profile_.fields, [&](const FieldRule& rule) { return rule.field == *field; });
    profile_.fields.push_back({.field = *field,
                               .form = is_number(*field) ? Form::Number : Form::Text,
                               .steps = {{.function = keep(function), .take = Take::Returned}}});
    return {};
  }

  Result<Profile> finish() {
    if (!has_base_) return fail(file_ + ": it has no base = mysql or base = mariadb");
    const auto same = std::ranges::find(built_in(), profile_.flavor, &Profile::flavor);
    if (same != built_in().end()) return fail(file_ + ": it has no flavor of its own");
    if (markers_) return profile_;
    for (const Profile& each : built_in())
      if (each.dispatch == profile_.dispatch)
        return fail(file_ + ": it has neither a marker nor a dispatch function of its own",
                    "every server of the base would be taken for it");
    profile_.marker_prefixes = {""};  // the dispatch function tells
    return profile_;
  }

  std::string file_;
  size_t line_ = 0;
  Profile profile_{};
  bool has_base_ = false, executables_ = false, markers_ = false, executions_ = false;
};

}  // namespace

Result<Profile> parse_profile(std::string_view text, const std::string& file) {
  return Reader(file).read(text);
}

Result<void> add_profile_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(kMostBytes + 1, '\0');
  if (in) in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (!in && in.gcount() == 0))
    return fail(fmt::format("cannot read the profile {}: {}", file,
                            errno ? std::strerror(errno) : "it is empty"));
  if (static_cast<size_t>(in.gcount()) > kMostBytes)
    return fail(fmt::format("the profile {} is larger than 64 KB", file));
  text.resize(static_cast<size_t>(in.gcount()));
  auto profile = parse_profile(text, file);
  if (!profile) return tl::unexpected(profile.error());
  add(std::move(*profile));
  return {};
}

}  // namespace dbtrace::profiles
