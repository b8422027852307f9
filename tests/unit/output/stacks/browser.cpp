#include "tests/unit/output/stacks/browser.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "tests/runtime/temporary_folder.h"

namespace dbtrace::output {
namespace {

constexpr std::string_view kResultBegin = "<pre id=\"result\">";

std::string output_of(const std::string& command) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen failed");
  std::array<char, 65536> buffer{};
  while (const size_t size = fread(buffer.data(), 1, buffer.size(), pipe))
    output.append(buffer.data(), size);
  pclose(pipe);
  return output;
}

void replace(std::string& text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

}  // namespace

std::optional<std::string> browser() {
  for (const char* path : {"/usr/bin/chromium", "/usr/bin/chromium-browser"})
    if (std::ifstream(path)) return path;
  return std::nullopt;
}

std::string document_of(std::string_view page, const std::string& options) {
  const dbtrace::testing::TemporaryFolder folder;
  const std::string path = folder.path() / "page.html";
  std::ofstream(path) << page;
  std::string document = output_of(fmt::format(
      "HOME='{0}' timeout --kill-after=5 120 '{1}' --headless --no-sandbox --disable-gpu "
      "--disable-dev-shm-usage --user-data-dir='{0}/data' --window-size=1280,800 "
      "--virtual-time-budget=5000 {2} --dump-dom 'file://{3}' 2>'{0}/errors'",
      folder.path().string(), browser().value(), options, path));
  if (document.find("</html>") == std::string::npos) {
    std::ifstream errors(folder.path() / "errors");
    throw std::runtime_error("no document: " + document +
                             std::string(std::istreambuf_iterator<char>(errors), {}));
  }
  return document;
}

nlohmann::json result_in(std::string_view page, std::string_view script,
                         const std::string& options) {
  std::string copy(page);
  const size_t policy = copy.find("script-src ");
  copy.replace(policy, copy.find(';', policy) - policy, "script-src 'unsafe-inline'");
  copy.insert(copy.rfind("</body>"), fmt::format(R"(<script>{{
const written = document.createElement('pre');
written.id = 'result';
let result;
try {{
  result = {{returned: (() => {{ {} }})()}};
}} catch (error) {{
  result = {{thrown: String(error) + error.stack}};
}}
written.textContent = JSON.stringify(result);
document.body.append(written);
}}</script>)",
                                                 script));
  std::string document = document_of(copy, options);
  const size_t begin = document.rfind(kResultBegin);
  if (begin == std::string::npos) throw std::runtime_error("the script did not run");
  document.erase(0, begin + kResultBegin.size());
  document.resize(document.find("</pre>"));
  replace(document, "&lt;", "<");
  replace(document, "&gt;", ">");
  replace(document, "&nbsp;", "\u00a0");
  replace(document, "&amp;", "&");
  const nlohmann::json result = nlohmann::json::parse(document);
  if (result.contains("thrown")) throw std::runtime_error(result["thrown"].get<std::string>());
  return result.value("returned", nlohmann::json());
}

}  // namespace dbtrace::output
