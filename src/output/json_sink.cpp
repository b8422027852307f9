// One JSON object a line (query_json.h), and, where stacks were asked for, the heaviest of the
// query's; a gap has an object of its own.
#include "src/output/cause_names.h"
#include "src/output/formats.h"
#include "src/output/query_json.h"

namespace dbtrace::output {
namespace {

void append_stack(const model::NamedStack& stack, std::string& out) {
  JsonObject object(out);
  object.number("ns", stack.ns);
  object.number("count", stack.count);
  object.string("cause", name_of(stack.cause).name());
  object.boolean("whole", stack.whole);
  object.key("frames");
  out += '[';
  for (const std::string& frame : stack.frames) {
    if (&frame != &stack.frames.front()) out += ',';
    append_json_string(out, frame);
  }
  out += ']';
  object.end();
}

class JsonSink final : public Sink {
 public:
  explicit JsonSink(bool budget) : members_(budget) {}

  void lost(const Lost& lost, std::string& out) override {
    JsonObject object(out);
    object.key("lost");
    JsonObject classes(out);
    for (const auto& [name, count] : lost.classes) classes.number(name, count);
    classes.end();
    members_.time("start", lost.from_ns, object, out);
    members_.time("until", lost.until_ns, object, out);
    object.end();
    out += '\n';
  }

 private:
  void format(const Shown& shown, std::string& out) override {
    JsonObject object(out);
    members_.members(shown, object, out);
    if (shown.query.stacks) {
      object.key("stacks");
      out += '[';
      for (const model::NamedStack& stack : *shown.query.stacks) {
        if (&stack != &shown.query.stacks->front()) out += ',';
        append_stack(stack, out);
      }
      out += ']';
    }
    object.end();
    out += '\n';
  }

  QueryJson members_;
};

}  // namespace

std::unique_ptr<Sink> make_json_sink(const FormatOptions& options) {
  return std::make_unique<JsonSink>(options.budget);
}

}  // namespace dbtrace::output
