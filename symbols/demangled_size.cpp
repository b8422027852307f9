#include "symbols/demangled_size.h"

// LLVM's parser, of which demangle.cpp uses the finished product.
#include <llvm/Demangle/ItaniumDemangle.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dbtrace::symbols {
namespace {

using llvm::itanium_demangle::ForwardTemplateReference;
using llvm::itanium_demangle::Node;
using llvm::itanium_demangle::NodeArray;
using llvm::itanium_demangle::ParameterPackExpansion;

constexpr uint64_t kHuge = std::numeric_limits<uint32_t>::max();
// What a node writes besides its parts: "decltype(", "operator new[]", " const &&".
constexpr uint64_t kOwnText = 40;

uint64_t add(uint64_t a, uint64_t b) { return std::min(a + b, kHuge); }

// Keeps the parser's nodes until it dies.
class Allocator {
 public:
  void reset() { blocks_.clear(); }
  template <typename T, typename... Arguments>
  T* makeNode(Arguments&&... arguments) {
    return new (allocate(sizeof(T))) T(std::forward<Arguments>(arguments)...);
  }
  void* allocateNodeArray(size_t size) {
    longest_ = std::max(longest_, size);
    return allocate(size * sizeof(Node*));
  }
  // The length of the longest list in the name.
  size_t longest() const { return longest_; }

 private:
  void* allocate(size_t size) {
    return blocks_
        .emplace_back(std::make_unique<std::max_align_t[]>(size / sizeof(std::max_align_t) + 1))
        .get();
  }
  std::deque<std::unique_ptr<std::max_align_t[]>> blocks_;
  size_t longest_ = 0;
};

class Sizes {
 public:
  // Each expansion of a pack writes its pattern once for each of the pack's
  // elements.
  explicit Sizes(uint64_t largest_pack) : largest_pack_(largest_pack) {}

  uint64_t of(const Node* node) {
    if (node == nullptr) return 0;
    // A node that is met again while it is added up refers to itself: LLVM
    // writes nothing there.
    const auto [known, is_new] = known_.emplace(node, 0);
    if (!is_new) return known->second;
    uint64_t size = 0;
    node->visit([&](const auto* real) { size = add(kOwnText, of_parts(real)); });
    return known_[node] = size;
  }

 private:
  uint64_t of_parts(const ForwardTemplateReference* node) { return of(node->Ref); }
  uint64_t of_parts(const ParameterPackExpansion* node) {
    uint64_t size = 0;
    node->match([&](const Node* child) { size = of(child); });
    return std::min(size * largest_pack_, kHuge);
  }
  template <typename T>
  uint64_t of_parts(const T* node) {
    uint64_t size = 0;
    node->match([&](const auto&... parts) { ((size = add(size, of_part(parts))), ...); });
    return size;
  }

  uint64_t of_part(const NodeArray& nodes) {
    uint64_t size = 0;
    for (const Node* node : nodes) size = add(size, add(of(node), 2));
    return size;
  }
  template <typename T>
  uint64_t of_part(const T& part) {
    if constexpr (std::is_convertible_v<T, const Node*>)
      return of(part);
    else if constexpr (requires { part.size(); })
      return std::min<uint64_t>(part.size(), kHuge);
    else
      return 0;  // a flag or a number
  }

  uint64_t largest_pack_;
  std::unordered_map<const Node*, uint64_t> known_;
};

}  // namespace

uint64_t demangled_size_limit(std::string_view raw) {
  llvm::itanium_demangle::ManglingParser<Allocator> parser(raw.data(), raw.data() + raw.size());
  const Node* name = parser.parse();
  return Sizes(parser.ASTAllocator.longest() + 1).of(name);
}

}  // namespace dbtrace::symbols
