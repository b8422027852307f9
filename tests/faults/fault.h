// A fault: something that happens to a server or to dbtrace while clients ask. What must hold
// after it is the same for all (campaign_test.cpp).
#pragma once

#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "tests/faults/database.h"
#include "tests/faults/load.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/pipe.h"
#include "tests/runtime/probe_traces.h"

namespace dbtrace::testing {

// What dbtrace's standard output is.
enum class Output { File, Pipe, SmallDisk };

// How the run ends: by the test's Ctrl-C, of itself, with its server, or by SIGKILL.
enum class RunEnd { CtrlC, OfItself, WithServer, Killed };

struct Scene {
  Database& database;
  Load& load;
  DbtraceProcess& dbtrace;
  const std::vector<std::string>& arguments;  // dbtrace's
  Pipe& pipe;
  std::vector<BpfObjects> objects = {};  // all of them have to be gone at the end

  // Notes what dbtrace holds in the kernel now. It has to stand still for that, or be done with
  // attaching.
  void note_objects() { objects.emplace_back(dbtrace.process().pid()); }
};

struct Fault {
  std::string name;
  std::function<void(Scene&)> happen;
  std::vector<std::string> options = {};
  RunEnd end = RunEnd::CtrlC;
  int exit_code = 0;
  Output output = Output::File;
  bool while_attaching = false;  // it does not wait until the probes are there
  bool ends_server = false;      // else no client may notice anything
  bool loses = false;            // the kernel's buffer overflows, for certain
  std::map<std::string, std::string> environment = {};  // of dbtrace

  friend std::ostream& operator<<(std::ostream& out, const Fault& fault) {
    return out << fault.name;
  }
};

// What happens to the server, to its clients, and to dbtrace.
[[nodiscard]] std::vector<Fault> server_faults();
[[nodiscard]] std::vector<Fault> client_faults();
[[nodiscard]] std::vector<Fault> tracer_faults();

// Waits until dbtrace has said this; false if it does not. `times` in all.
[[nodiscard]] bool says(const DbtraceProcess& dbtrace, const std::string& text, size_t times = 1);

}  // namespace dbtrace::testing
