// From a profile's rule ("what thd_get_thread_id returns") to the path that
// the BPF programs follow in this very build.
#pragma once

#include <string>

#include "bpf/event.h"
#include "profiles/profile.h"
#include "src/code/trace.h"
#include "symbols/finder.h"
#include "symbols/result.h"

namespace dbtrace::attach {

struct FieldPath {
  dbt_path path{};
  std::string origin;  // the functions it was decoded from
};

// Errors say which function is missing or was not understood.
[[nodiscard]] Result<FieldPath> find_field(symbols::Finder& finder, code::Arch arch,
                                           const profiles::FieldRule& rule);

}  // namespace dbtrace::attach
