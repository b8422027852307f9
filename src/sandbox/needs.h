// What a run still needs when its probes are there.
#pragma once

namespace dbtrace::sandbox {

struct Needs {
  bool processes = false;    // what /proc tells of others' processes
  bool memory = false;       // of servers
  bool files = false;        // of servers, opened while it runs
  bool code = false;         // of servers, and of the kernel: names of what is on stacks
  bool new_files = false;    // written, and put in the place of old ones
  bool database = false;     // of SQLite's, written in place
  bool connections = false;  // to servers
  bool clients = false;      // of a socket that listens already
  bool collector = false;    // that is called on over IP
  bool probes = false;       // in servers that come later
  bool perf_events = false;  // …which are attached by perf events
};

}  // namespace dbtrace::sandbox
