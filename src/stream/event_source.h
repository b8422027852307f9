// What has to be known about the plan that an event refers to.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "profiles/file_namer.h"
#include "profiles/profile.h"
#include "src/model/budget.h"

namespace dbtrace::stream {

struct EventSource {
  const profiles::Profile* profile = nullptr;
  profiles::PacketLayout layout = profiles::PacketLayout::RawPacket;
  bool sees_waits = false;   // the server says what it waits for
  std::string version = {};  // the server's own text; empty: not known
  // What a process calls itself; null: nobody can say.
  std::function<std::string(uint32_t pid)> process_title = nullptr;
  std::shared_ptr<profiles::FileNamer> namer = {};  // nullptr: names of files say enough

  // What the server calls the wait event of this number.
  [[nodiscard]] model::WaitEvent wait_event(uint32_t number) const {
    if (!profile->wait_event) return {};
    profiles::WaitEventName name = profile->wait_event(version, number);
    return {std::move(name.type), std::move(name.event)};
  }
};

}  // namespace dbtrace::stream
