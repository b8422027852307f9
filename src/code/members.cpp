#include "src/code/members.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace dbtrace::code {
namespace {

int64_t wrapping_sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

// What the paths say about a member, one voice at a time. Any voice that
// differs or could not be understood spoils the answer.
class Agreement {
 public:
  void say(std::optional<MemberPath> member) {
    if (!heard_) {
      answer_ = std::move(member);
    } else if (answer_ != member) {
      answer_.reset();
    }
    heard_ = true;
  }
  [[nodiscard]] std::optional<MemberPath> answer() const { return answer_; }

 private:
  bool heard_ = false;
  std::optional<MemberPath> answer_;
};

bool is_argument(const Value& value, int position) {
  return value.base == Value::Base::Argument && value.argument == position;
}

bool is_argument_itself(const Value& value, int position) {
  return is_argument(value, position) && value.loads.empty() && value.addend == 0;
}

bool is_plain_constant(const Value& value) {
  return value.base == Value::Base::Constant && value.loads.empty();
}

bool starts_at(const Value& value, int object) {
  if (object == kImage) return value.base == Value::Base::Constant && !value.loads.empty();
  if (object != kAnyObject) return is_argument(value, object);
  return value.base == Value::Base::Argument || value.base == Value::Base::CallResult;
}

// The place that an address denotes.
MemberPath at(const Value& address, uint8_t width) {
  return {.loads = address.loads, .last = address.addend, .width = width};
}

// The member that a value was loaded from, or whose address it is.
std::optional<MemberPath> origin(const Value& value, int object) {
  if (!starts_at(value, object)) return std::nullopt;
  if (value.loads.empty() || value.addend != 0) {
    MemberPath path = at(value, 8);
    path.address_only = true;
    return path;
  }
  MemberPath path{.loads = value.loads, .width = value.width};
  path.last = path.loads.back();
  path.loads.pop_back();
  return path;
}

// Whether `second` is what lies in the 8 bytes behind the 8 bytes of `first`.
bool lies_behind(const Value& first, const Value& second) {
  if (first.loads.empty() || first.addend != 0 || first.width != 8) return false;
  Value expected = first;
  if (expected.loads.back() > std::numeric_limits<int64_t>::max() - 8) return false;
  expected.loads.back() += 8;
  return second == expected;
}

std::optional<MemberPath> origin_of_pair(const Value& first, const Value& second, int object) {
  auto path = origin(first, object);
  if (path) path->pair = lies_behind(first, second);
  return path;
}

}  // namespace

std::optional<MemberPath> returned_member(std::span<const Path> paths, int object) {
  Agreement agreement;
  for (const Path& path : paths) {
    if (!path.returned || is_plain_constant(*path.returned)) continue;
    agreement.say(origin_of_pair(*path.returned, path.returned_second.value_or(Value{}), object));
  }
  return agreement.answer();
}

std::optional<MemberPath> stored_through(std::span<const Path> paths, int out) {
  Agreement agreement;
  for (const Path& path : paths) {
    for (const Store& store : path.stores) {
      if (!is_argument_itself(store.address, out) || is_plain_constant(store.value)) continue;
      agreement.say(origin(store.value, 0));
    }
  }
  return agreement.answer();
}

std::optional<MemberPath> first_store(std::span<const Path> paths) {
  Agreement agreement;
  for (const Path& path : paths) {
    const auto store = std::ranges::find_if(
        path.stores, [](const Store& each) { return is_argument(each.address, 0); });
    if (store != path.stores.end()) agreement.say(at(store->address, store->width));
  }
  return agreement.answer();
}

std::optional<MemberPath> store_of(std::span<const Path> paths, int source, int object) {
  Agreement agreement;
  for (const Path& path : paths) {
    for (const Store& store : path.stores) {
      if (!is_argument_itself(store.value, source) || !starts_at(store.address, object)) continue;
      agreement.say(at(store.address, store.width));
    }
  }
  return agreement.answer();
}

std::optional<MemberPath> compared_variable(std::span<const Path> paths) {
  Agreement agreement;
  for (const Path& path : paths)
    for (const Compare& compare : path.compares)
      if (starts_at(compare.member, kImage)) agreement.say(origin(compare.member, kImage));
  return agreement.answer();
}

std::optional<MemberPath> compared_object(std::span<const Path> paths) {
  Agreement agreement;
  for (const Path& path : paths) {
    for (const Compare& compare : path.compares) {
      const Value& member = compare.member;
      if (compare.constant == 0 || !is_argument(member, 0) || member.loads.size() < 2) continue;
      Value object = member;
      object.loads.pop_back();
      object.addend = 0;
      object.width = 8;
      agreement.say(origin(object, 0));
    }
  }
  return agreement.answer();
}

std::optional<MemberPath> read_member(std::span<const Path> paths, int number, int object) {
  Agreement agreement;
  for (const Path& path : paths) {
    int left = number;
    for (const Value& value : path.reads)
      if (starts_at(value, object) && left-- == 0) agreement.say(origin(value, object));
  }
  return agreement.answer();
}

std::optional<MemberPath> read_through_variable(std::span<const Path> paths, uint64_t variable,
                                                int number) {
  std::vector<MemberPath> most;
  for (const Path& path : paths) {
    std::vector<MemberPath> members;
    for (const Value& value : path.reads) {
      if (!starts_at(value, kImage) || value.loads.size() != 2 ||
          static_cast<uint64_t>(value.loads.front()) != variable)
        continue;
      const auto member = origin(value, kImage);
      if (member && std::ranges::find(members, *member) == members.end())
        members.push_back(*member);
    }
    if (members.size() > most.size()) most = std::move(members);
  }
  if (number < 0 || static_cast<size_t>(number) >= most.size()) return std::nullopt;
  return most[static_cast<size_t>(number)];
}

std::optional<uint64_t> constant_stored(std::span<const Path> paths, const MemberPath& member) {
  std::optional<uint64_t> constant;
  for (const Path& path : paths) {
    for (const Store& store : path.stores) {
      if (!starts_at(store.address, kImage) || !is_plain_constant(store.value) ||
          at(store.address, store.width) != member)
        continue;
      const auto stored = static_cast<uint64_t>(store.value.addend);
      if (constant && *constant != stored) return std::nullopt;
      constant = stored;
    }
  }
  return constant;
}

std::optional<MemberPath> first_computed_store(std::span<const Path> paths) {
  Agreement agreement;
  for (const Path& path : paths) {
    const auto is_computed = [](const Store& each) {
      return is_argument(each.address, 0) && !is_plain_constant(each.value);
    };
    const auto store = std::ranges::find_if(path.stores, is_computed);
    if (store == path.stores.end()) continue;
    const bool repeated = std::any_of(store + 1, path.stores.end(), [&](const Store& each) {
      return is_computed(each) && each.value.base != Value::Base::Unknown &&
             each.value == store->value && each.address != store->address;
    });
    agreement.say(repeated ? std::nullopt : std::optional(at(store->address, store->width)));
  }
  return agreement.answer();
}

std::optional<int64_t> returned_thread_local(std::span<const Path> paths) {
  std::optional<int64_t> place;
  for (const Path& path : paths) {
    if (!path.returned || is_plain_constant(*path.returned)) continue;
    const Value& value = *path.returned;
    if (value.base != Value::Base::ThreadPointer || value.loads.size() != 1 || value.addend != 0 ||
        value.width != 8 || (place && *place != value.loads.front()))
      return std::nullopt;
    place = value.loads.front();
  }
  return place;
}

std::optional<MemberPath> call_argument(std::span<const Path> paths, uint64_t callee, int position,
                                        int object) {
  Agreement agreement;
  for (const Path& path : paths) {
    for (const Call& call : path.calls) {
      if (call.target != callee || position < 0 ||
          static_cast<size_t>(position) >= call.arguments.size()) {
        continue;
      }
      const size_t next = static_cast<size_t>(position) + 1;
      const Value second = next < call.arguments.size() ? call.arguments[next] : Value{};
      if (is_plain_constant(call.arguments[position])) continue;
      agreement.say(origin_of_pair(call.arguments[position], second, object));
    }
  }
  return agreement.answer();
}

std::optional<MemberPath> compose(const MemberPath& first, const MemberPath& second) {
  MemberPath path = second;
  if (first.address_only) {
    path = from_part(second, static_cast<int64_t>(0 - static_cast<uint64_t>(first.last)));
  } else if (first.width == 8) {
    path.loads.insert(path.loads.begin(), first.last);
  } else {
    return std::nullopt;
  }
  path.loads.insert(path.loads.begin(), first.loads.begin(), first.loads.end());
  return path;
}

MemberPath from_part(MemberPath path, int64_t offset) {
  int64_t& first = path.loads.empty() ? path.last : path.loads.front();
  first = wrapping_sum(first, static_cast<int64_t>(0 - static_cast<uint64_t>(offset)));
  return path;
}

}  // namespace dbtrace::code
