// Writes the pages that page_test.mjs looks at into a folder.
#include <fstream>
#include <string>

#include "src/report/html.h"
#include "src/report/text.h"
#include "tests/unit/report/samples.h"

namespace {

using namespace dbtrace::report;

void write(const std::string& path, const About& about, const Collector& collector) {
  std::string page;
  append_page(about, collector, page);
  std::ofstream(path) << page;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string folder = argv[1];
  write(folder + "/shop.html", about(600), shop(60'000));
  write(folder + "/million.html", about(600), shop(1'000'000));
  write(folder + "/hostile.html", hostile_about(), hostile());
  write(folder + "/empty.html", about(600), [] {
    Collector none = collector(600);
    finish(none);
    return none;
  }());
}
