#include "tests/runtime/probe_traces.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>

#include "symbols/unique.h"
#include "tests/runtime/dbtrace_process.h"

namespace dbtrace::testing {
namespace {

std::string proc(pid_t pid, const std::string& name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

std::optional<uint8_t> byte_at(const std::string& file, uint64_t offset) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  uint8_t byte = 0;
  if (!fd || ::pread(fd.get(), &byte, 1, static_cast<off_t>(offset)) != 1) return std::nullopt;
  return byte;
}

struct Mapping {
  uint64_t start, end, file_offset;
};

// Where the process has mapped the code of its executable.
std::vector<Mapping> code_of(pid_t pid) {
  struct stat status {};
  if (::stat(proc(pid, "exe").c_str(), &status) != 0) return {};
  std::vector<Mapping> all;
  std::ifstream maps(proc(pid, "maps"));
  for (std::string line; std::getline(maps, line);) {
    Mapping mapping{};
    uint64_t inode = 0;
    std::string permissions, device;
    char dash = 0;
    std::istringstream fields(line);
    fields >> std::hex >> mapping.start >> dash >> mapping.end >> permissions >>
        mapping.file_offset >> device >> std::dec >> inode;
    if (inode == status.st_ino && permissions.find('x') != std::string::npos)
      all.push_back(mapping);
  }
  return all;
}

std::optional<uint64_t> address_of(pid_t pid, uint64_t file_offset) {
  for (const Mapping& each : code_of(pid))
    if (file_offset >= each.file_offset && file_offset < each.file_offset + (each.end - each.start))
      return each.start + (file_offset - each.file_offset);
  return std::nullopt;
}

std::vector<uint8_t> bytes_at(const std::string& file, uint64_t offset, size_t count) {
  std::vector<uint8_t> bytes(count);
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t got = ::pread(fd.get(), bytes.data(), count, static_cast<off_t>(offset));
  bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return bytes;
}

}  // namespace

ProbeSites::ProbeSites(pid_t server) : server_(server) {
  const DbtraceResult plan = run_dbtrace({"queries", "--explain", "-p", std::to_string(server)});
  static const std::regex kOffset("file offset 0x([0-9a-f]+)");
  for (auto match = std::sregex_iterator(plan.output.begin(), plan.output.end(), kOffset);
       match != std::sregex_iterator(); ++match) {
    const uint64_t offset = std::stoull((*match)[1], nullptr, 16);
    const auto address = address_of(server, offset);
    const auto original = byte_at(proc(server, "exe"), offset);
    if (!address || !original) throw std::runtime_error("a probe's place is not in the process");
    sites_.push_back({*address, *original});
  }
  if (sites_.empty()) throw std::runtime_error("no plan:\n" + plan.output + plan.errors);
}

size_t ProbeSites::changed() const {
  return static_cast<size_t>(std::ranges::count_if(sites_, [this](const Site& site) {
    return byte_at(proc(server_, "mem"), site.address) != site.original;
  }));
}

bool ProbeSites::all_probed() const { return changed() == sites_.size(); }
bool ProbeSites::any_probed() const { return changed() > 0; }
bool ProbeSites::all_clean() const { return changed() == 0; }

size_t changed_code_bytes(pid_t pid) {
  size_t changed = 0, compared = 0;
  for (const Mapping& each : code_of(pid)) {
    const size_t size = each.end - each.start;
    const auto loaded = bytes_at(proc(pid, "mem"), each.start, size);
    const auto original = bytes_at(proc(pid, "exe"), each.file_offset, size);
    const size_t both = std::min(loaded.size(), original.size());  // the file may end before
    for (size_t i = 0; i < both; ++i) changed += loaded[i] != original[i];
    compared += both;
  }
  if (compared == 0) throw std::runtime_error("there is no code to compare");
  return changed;
}

BpfObjects::BpfObjects(pid_t holder) {
  static const std::map<std::string, Kind> kKinds = {
      {"prog_id:", Kind::Program}, {"link_id:", Kind::Link}, {"map_id:", Kind::Map}};
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator(proc(holder, "fdinfo"), gone)) {
    std::ifstream info(entry.path());
    for (std::string key, value; info >> key && std::getline(info, value);)
      if (const auto kind = kKinds.find(key); kind != kKinds.end())
        objects_.push_back({kind->second, static_cast<uint32_t>(std::stoul(value))});
  }
}

bool BpfObjects::all_gone() const {
  const auto is_gone = [](const Object& object) {
    const int fd = object.kind == Kind::Program ? ::bpf_prog_get_fd_by_id(object.id)
                   : object.kind == Kind::Link  ? ::bpf_link_get_fd_by_id(object.id)
                                                : ::bpf_map_get_fd_by_id(object.id);
    if (fd >= 0) ::close(fd);
    return fd == -ENOENT;
  };
  return !objects_.empty() && std::ranges::all_of(objects_, is_gone);
}

}  // namespace dbtrace::testing
