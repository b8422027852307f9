// What is known of the server that an event is about.
#pragma once

#include <memory>

#include "profiles/file_namer.h"
#include "profiles/profile.h"

namespace dbtrace::stream {

// Of one plan.
struct EventSource {
  const profiles::Profile* profile = nullptr;
  profiles::PacketLayout layout = profiles::PacketLayout::RawPacket;
  bool sees_files = true;                           // operations on files are counted
  std::shared_ptr<profiles::FileNamer> namer = {};  // nullptr: names of files say enough
};

}  // namespace dbtrace::stream
