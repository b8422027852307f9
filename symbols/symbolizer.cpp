#include "symbols/symbolizer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "symbols/code_map.h"
#include "symbols/kernel_symbols.h"
#include "symbols/module.h"
#include "symbols/patience.h"
#include "symbols/process_maps.h"

namespace dbtrace::symbols {
namespace {

struct Process {
  uint32_t pid = 0;
  std::optional<uint64_t> started;
  CodeMap<Module> code;
  std::shared_ptr<Module> perf_map;
  std::string perf_map_path;
  Patience maps_patience;
  Patience perf_map_patience;
};

}  // namespace

struct Symbolizer::Impl {
  explicit Impl(SymbolizerOptions options)
      : modules(std::move(options.debug_folders), options.memory_limit) {}

  Result<void> read_process(Process& process);
  Root root_of(uint32_t pid);
  std::shared_ptr<Module> module_of(uint32_t pid, const Mapping& mapping, const Root& root);
  Process& process_of(uint32_t pid);
  void look_again(Process& process);

  const CodeMap<Module>::Entry* mapped_at(Process& process, uint64_t address);
  bool in_module(const CodeMap<Module>::Entry& mapped, uint64_t address, Symbolized& answer);
  void in_perf_map(Process& process, uint64_t address, Symbolized& answer);

  ModuleCache modules;
  std::unordered_map<uint32_t, Process> processes;
  Process* last = nullptr;  // the process asked for last

  using RootId = std::tuple<uint64_t, uint64_t, uint64_t>;  // mount namespace, device, inode
  std::map<RootId, std::weak_ptr<const UniqueFd>> roots;

  std::optional<KernelSymbols> kernel;
  Patience kernel_patience;
  Error kernel_error;
};

// Processes have their root in common far more often than not.
Root Symbolizer::Impl::root_of(uint32_t pid) {
  const std::string folder = fmt::format("/proc/{}", pid);
  UniqueFd file(::open((folder + "/root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat root {};
  struct stat mounts {};
  if (!file || ::fstat(file.get(), &root) != 0 ||
      ::stat((folder + "/ns/mnt").c_str(), &mounts) != 0) {
    return nullptr;
  }
  std::erase_if(roots, [](const auto& entry) { return entry.second.expired(); });
  auto& known = roots[{mounts.st_ino, root.st_dev, root.st_ino}];
  if (Root shared = known.lock()) return shared;
  Root shared = std::make_shared<const UniqueFd>(std::move(file));
  known = shared;
  return shared;
}

std::shared_ptr<Module> Symbolizer::Impl::module_of(uint32_t pid, const Mapping& mapping,
                                                    const Root& root) {
  if (mapping.is_vdso()) {
    const auto bytes = read_vdso(pid, mapping);
    return bytes ? modules.of_image(*bytes, mapping.path) : nullptr;
  }
  auto file = open_mapped_file(pid, mapping);
  return file ? modules.of_file(std::move(*file), mapping.path, root) : nullptr;
}

Result<void> Symbolizer::Impl::read_process(Process& process) {
  auto maps = read_maps(process.pid);
  if (!maps) return tl::unexpected(std::move(maps.error()));
  const Root root = root_of(process.pid);
  process.code = {std::move(*maps),
                  [&](const Mapping& mapping) { return module_of(process.pid, mapping, root); }};
  if (const auto place = perf_map_place(process.pid); place && !process.perf_map) {
    process.perf_map = modules.of_perf_map(root, *place);
    process.perf_map_path = place->path();
  }
  return {};
}

Process& Symbolizer::Impl::process_of(uint32_t pid) {
  if (last != nullptr && last->pid == pid) return *last;
  const auto [entry, is_new] = processes.try_emplace(pid);
  last = &entry->second;
  if (is_new) {
    last->pid = pid;
    look_again(*last);
  }
  return *last;
}

// Another process of the same pid is none of ours.
void Symbolizer::Impl::look_again(Process& process) {
  process.maps_patience.try_again([&] {
    const auto started = start_time(process.pid);
    if (!started || (process.started && process.started != started)) return;
    if (read_process(process)) process.started = started;
  });
}

// Returns whether the mapped file is an ELF file, which knows best what it holds.
bool Symbolizer::Impl::in_module(const CodeMap<Module>::Entry& mapped, uint64_t address,
                                 Symbolized& answer) {
  const Mapping& mapping = mapped.mapping;
  const uint64_t offset = address - mapping.start + mapping.offset;
  answer = {
      .kind = mapping.is_return_probe() ? Symbolized::Kind::ReturnProbe : Symbolized::Kind::Module,
      .module = mapping.path.empty() ? "[anon]" : std::string_view(mapping.path),
      .module_offset = offset};
  Names* names = mapped.module ? modules.names(*mapped.module) : nullptr;
  if (names == nullptr) return false;
  const auto own = link_address(names->segments, offset);
  if (!own) return true;
  answer.module_offset = *own;
  const auto hit = names->functions.find(*own);
  if (!hit) return true;
  answer.kind = Symbolized::Kind::Function;
  answer.function = names->functions.short_name(hit->id);
  answer.raw = hit->raw;
  answer.function_offset = *own - hit->start;
  return true;
}

// Completes `answer` if a compiler says what it put there.
void Symbolizer::Impl::in_perf_map(Process& process, uint64_t address, Symbolized& answer) {
  const auto find = [&] {
    Names* names = modules.names(*process.perf_map);
    const auto hit = names ? names->functions.find(address) : std::nullopt;
    if (!hit) return false;
    answer = {.kind = Symbolized::Kind::Function,
              .function = hit->raw,
              .raw = hit->raw,
              .function_offset = address - hit->start,
              .module = process.perf_map_path,
              .module_offset = answer.module_offset};
    return true;
  };
  if (!process.perf_map || find()) return;
  // The compiler goes on writing.
  process.perf_map_patience.try_again([&] {
    modules.reread(*process.perf_map);
    find();
  });
}

Symbolizer::Symbolizer(SymbolizerOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
Symbolizer::Symbolizer(Symbolizer&&) noexcept = default;
Symbolizer& Symbolizer::operator=(Symbolizer&&) noexcept = default;
Symbolizer::~Symbolizer() = default;

Result<void> Symbolizer::observe(uint32_t pid) {
  Process process;
  process.pid = pid;
  process.started = start_time(pid);
  if (auto done = impl_->read_process(process); !done) return done;
  impl_->last = nullptr;
  impl_->processes[pid] = std::move(process);
  impl_->modules.release_unused();
  return {};
}

void Symbolizer::forget(uint32_t pid) {
  impl_->last = nullptr;
  impl_->processes.erase(pid);
  impl_->modules.release_unused();
}

const CodeMap<Module>::Entry* Symbolizer::Impl::mapped_at(Process& process, uint64_t address) {
  const auto* mapped = process.code.at(address);
  if (mapped != nullptr) return mapped;
  look_again(process);
  return process.code.at(address);
}

Symbolized Symbolizer::user(uint32_t pid, uint64_t address) {
  Process& process = impl_->process_of(pid);
  const auto* mapped = impl_->mapped_at(process, address);
  if (mapped == nullptr) return {};
  Symbolized answer;
  const bool is_elf = impl_->in_module(*mapped, address, answer);
  // Compilers write their code to anonymous memory, or to files that are no ELF.
  if (!is_elf && answer.kind == Symbolized::Kind::Module) {
    impl_->in_perf_map(process, address, answer);
  }
  return answer;
}

std::vector<SourceFrame> Symbolizer::source(uint32_t pid, uint64_t address) {
  const Symbolized symbolized = user(pid, address);
  if (symbolized.kind != Symbolized::Kind::Function) return {};
  SourceFrame own{std::string(symbolized.function), {}};
  const auto* mapped = impl_->mapped_at(impl_->process_of(pid), address);
  SourceLines* lines = mapped->module == nullptr ? nullptr : impl_->modules.lines(*mapped->module);
  if (lines == nullptr) return {std::move(own)};
  std::vector<SourceFrame> frames = lines->at(symbolized.module_offset);
  if (frames.empty()) return {std::move(own)};
  frames.back().function = std::move(own.function);
  return frames;
}

Symbolized Symbolizer::kernel(uint64_t address) {
  const auto find = [&] { return impl_->kernel ? impl_->kernel->find(address) : std::nullopt; };
  auto hit = find();
  if (!hit) {
    // Modules and BPF programs come and go.
    impl_->kernel_patience.try_again([&] {
      auto symbols = KernelSymbols::read();
      impl_->kernel_error = symbols ? Error{} : symbols.error();
      if (symbols) impl_->kernel = std::move(*symbols);
    });
    hit = find();
  }
  if (!hit) return {};
  return {.kind = Symbolized::Kind::Function,
          .function = hit->function,
          .raw = hit->raw,
          .function_offset = hit->offset,
          .module = hit->module,
          .module_offset = address};
}

const Error& Symbolizer::kernel_error() const { return impl_->kernel_error; }

size_t Symbolizer::memory() const { return impl_->modules.memory(); }

}  // namespace dbtrace::symbols
