#include "src/commands/top/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "src/commands/top/figures.h"
#include "src/commands/top/pages.h"
#include "src/commands/top/paper.h"
#include "src/output/counted.h"
#include "src/output/histogram_text.h"

namespace dbtrace::commands::top {
namespace {

// Lines around a page. What matters least goes first when there is little room.
struct Chrome {
  bool status = true;
  bool headings = true;  // the page's own
  bool footer = true;
};

Chrome chrome_for(size_t height) {
  return {.status = height == 0 || height >= 6,
          .headings = height == 0 || height >= 4,
          .footer = height >= 8};
}

std::string_view sort_text(kinds::SortKey sort) {
  switch (sort) {
    case kinds::SortKey::Total:
      return "time";
    case kinds::SortKey::Count:
      return "rate";
    case kinds::SortKey::Mean:
      return "mean";
    case kinds::SortKey::P99:
      return "p99";
    case kinds::SortKey::Max:
      return "max";
    case kinds::SortKey::Io:
      return "I/O time";
    case kinds::SortKey::Errors:
      return "errors";
  }
  return "";
}

double per_second(uint64_t count, uint64_t ns) {
  return ns ? static_cast<double>(count) * 1e9 / static_cast<double>(ns) : 0;
}

// The losses stand first: a narrow screen has them, too.
void draw_summary(const TopState& state, Over over, const About& about, Paper& paper) {
  paper.piece(about.clock);
  paper.piece(fmt::format("{} lost,", state.lost()), state.lost() ? output::kRed : kBold);
  paper.piece(
      fmt::format("{} queries/s, {:.2f} at work, {}{}{}:",
                  rate_text(per_second(state.sums_of_all(over).count, state.length_ns(over))),
                  state.at_work(over), about.progress, about.cost.empty() ? "" : ", tracing costs ",
                  about.cost));
  paper.piece(about.server);
  paper.end();
}

std::string page_text(const TopState& state, const Controls& controls) {
  switch (controls.page()) {
    case Page::Kinds:
      return fmt::format("{} by {}", output::counted(controls.rows().size(), "kind"),
                         sort_text(controls.sort()));
    case Page::Kind:
      return "One kind";
    case Page::Running:
      return fmt::format("{} running", state.running().size());
    case Page::Waits:
      return "Waits";
    case Page::Io:
      return "I/O by table";
    case Page::Help:
      return "Help";
  }
  return "";
}

void draw_status(const TopState& state, const Controls& controls, Paper& paper) {
  if (controls.paused()) paper.piece("PAUSED", output::kYellow);
  paper.piece(page_text(state, controls), kBold);
  if (controls.page() != Page::Running && controls.page() != Page::Help)
    paper.piece(controls.over() == Over::Run
                    ? "of the whole run"
                    : fmt::format("of the last {}",
                                  output::rounded_duration(state.length_ns(Over::Interval))));
  if (controls.typing() || !controls.filter().empty())
    paper.piece(fmt::format("/{}{}", controls.filter(), controls.typing() ? "_" : ""),
                output::kYellow);
  paper.end();
}

void draw_footer(const Controls& controls, const About& about, Paper& paper) {
  if (!about.message.empty()) return paper.say(about.message, output::kYellow);
  if (controls.typing())
    return paper.say("Type a part of the text; Enter: keep it; Esc: as before", output::kDim);
  paper.say(about.keys, output::kDim);
}

void draw_note(std::string_view note, Paper& paper) {
  if (!note.empty()) paper.say(note, output::kDim);
}

void draw_page(const TopState& state, const Controls& controls, const About& about,
               const ViewOptions& options, size_t room, Paper& paper) {
  switch (controls.page()) {
    case Page::Kinds:
      // Whole pages: rows move only when the selection leaves one.
      return draw_kinds(state, controls,
                        options.height ? controls.row_of_selected() / room * room : 0,
                        std::min(room, options.most_rows), paper);
    case Page::Kind:
      return draw_kind(state, *controls.selected(), controls.over(), paper);
    case Page::Running:
      draw_running(state, options.several_servers, paper);
      return draw_note(about.not_running, paper);
    case Page::Waits:
      draw_waits(state, controls.over(), paper);
      return draw_note(about.not_waiting, paper);
    case Page::Io:
      return draw_io(state, controls.over(), paper);
    case Page::Help:
      return draw_help(paper);
  }
}

bool has_headings(Page page) { return page != Page::Kind && page != Page::Help; }

// Appends what fits of a page that is longer than the screen.
size_t append_scrolled(std::vector<std::string>& page, bool headings, size_t scroll, size_t room,
                       std::vector<std::string>& lines) {
  const size_t head = headings && !page.empty() ? 1 : 0;
  const size_t body = page.size() - head;
  const size_t most = body > room ? body - room : 0;
  const size_t first = head + std::min(scroll, most);
  const size_t last = first + std::min(page.size() - first, room);
  if (head) lines.push_back(std::move(page.front()));
  std::move(page.begin() + static_cast<ptrdiff_t>(first),
            page.begin() + static_cast<ptrdiff_t>(last), std::back_inserter(lines));
  return most;
}

}  // namespace

size_t room_on(size_t height) {
  if (height == 0) return SIZE_MAX;
  const Chrome chrome = chrome_for(height);
  const size_t used = size_t{1} + chrome.status + chrome.headings + chrome.footer;
  return height > used ? height - used : 1;
}

Frame draw(const TopState& state, const Controls& controls, const About& about,
           const ViewOptions& options) {
  const Chrome chrome = chrome_for(options.height);
  Paper paper(options.width, options.color);
  draw_summary(state, controls.over(), about, paper);
  if (chrome.status) draw_status(state, controls, paper);

  Frame frame{.lines = std::move(paper.lines()), .most_scroll = 0};
  Paper page(options.width, options.color);
  const size_t room = room_on(options.height);
  draw_page(state, controls, about, options, room, page);
  const bool headings = has_headings(controls.page());
  if (headings && !chrome.headings && !page.lines().empty())
    page.lines().erase(page.lines().begin());
  // A page without headings has their line, too.
  const size_t lines = room + (options.height && chrome.headings && !headings ? 1 : 0);
  frame.most_scroll = append_scrolled(page.lines(), headings && chrome.headings, controls.scroll(),
                                      lines, frame.lines);
  if (options.height == 0) return frame;

  frame.lines.resize(options.height - (chrome.footer ? 1 : 0));
  if (chrome.footer) {
    Paper footer(options.width, options.color);
    draw_footer(controls, about, footer);
    frame.lines.push_back(std::move(footer.lines().front()));
  }
  return frame;
}

}  // namespace dbtrace::commands::top
