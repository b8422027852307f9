// The HTML page and the SVG picture in a browser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/unit/output/stacks/browser.h"
#include "tests/unit/output/stacks/sample_profile.h"
#include "tests/unit/output/stacks/server_profiles.h"

namespace dbtrace::output {
namespace {

using model::Cause;
using nlohmann::json;
using stacks::sample;
using ::testing::HasSubstr;
using ::testing::Not;

// For all scripts below.
constexpr std::string_view kTools = R"(
const click = element => element.dispatchEvent(new MouseEvent('click', {bubbles: true}));
const press = (element, key) =>
    element.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
// In the middle of a box of that name.
const pointAt = (type, name, nth = 0) => {
  const box = graph.rows.flat().filter(({block}) => block.frame?.name === name)[nth];
  const {left, top} = byId('graph').getBoundingClientRect();
  byId('graph').dispatchEvent(new MouseEvent(type, {
      bubbles: true, clientX: left + box.x + box.width / 2, clientY: top + box.y + 10}));
};
const type = text => {
  byId('search').value = text;
  byId('search').dispatchEvent(new Event('input', {bubbles: true}));
};
const drawn = () => graph.rows.map(row => row.map(({block}) => block.frame?.name ?? 'all').join(' '));
)";

class Page : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!browser()) GTEST_SKIP() << "chromium is not installed";
  }

  std::string page(const std::vector<model::StackProfile>& profiles) {
    return written({.format = StackFormat::Html}, table_, profiles);
  }
  std::string page(std::vector<model::Sample> samples) {
    model::StackProfile profile;
    profile.text = "select 1";
    for (size_t i = 0; i < samples.size(); ++i) samples[i].time_ns = i;
    profile.samples = std::move(samples);
    return page(std::vector{profile});
  }
  static json run(const std::string& page, const std::string& script,
                  const std::string& options = {}) {
    return result_in(page, std::string(kTools) + script, options);
  }

  stacks::FrameTable table_;
};

TEST_F(Page, RunsUnderItsOwnPolicy) {
  const std::string document = document_of(page({sample_profile(table_)}));
  EXPECT_THAT(document, HasSubstr("<h1 id=\"text\">select 1</h1>"));
  EXPECT_THAT(document, HasSubstr("took 100 ms · 3 stacks of 99.0 ms"));
}

TEST_F(Page, NoOtherScriptRuns) {
  std::string html = page({sample_profile(table_)});
  html.insert(html.rfind("</body>"), "<script>document.title = 'run'</script>");
  EXPECT_THAT(document_of(html), HasSubstr("<title>Stacks of slow queries</title>"));
}

TEST_F(Page, ListsQueriesTheLongestFirst) {
  std::vector<model::StackProfile> profiles = {sample_profile(table_), sample_profile(table_)};
  profiles[1].text = "update t";
  profiles[1].queries = 7;
  profiles[1].duration_ns = 2'500'000'000;
  const json result = run(page(profiles), R"(
const buttons = [...document.querySelectorAll('#queries button')];
const before = [byId('text').textContent, byId('ordered').disabled];
click(buttons[1]);
return {list: buttons.map(button => button.textContent), before,
        after: [byId('text').textContent, byId('ordered').disabled],
        bar: byId('budget').getAttribute('aria-label'),
        current: buttons.map(button => button.getAttribute('aria-current'))};)");
  EXPECT_EQ(result["list"], json({"update t7 queries · took 2.50 s · 3 stacks of 99.0 ms",
                                  "select 1took 100 ms · 3 stacks of 99.0 ms"}));
  EXPECT_EQ(result["before"], json({"update t", true}));
  EXPECT_EQ(result["after"], json({"select 1", false}));
  EXPECT_EQ(result["bar"], "on cpu 60.0 %, file read 39.0 %, unexplained 1.0 %");
  EXPECT_EQ(result["current"], json({"false", "true"}));
}

TEST_F(Page, DrawsTheHeaviestFirstInTheColoursOfTheirCauses) {
  const json result = run(page({sample_profile(table_)}), R"(
const pixel = name => {
  const {x, y, width} = graph.rows.flat().find(({block}) => block.frame?.name === name);
  const ratio = window.devicePixelRatio;
  return [...graph.context.getImageData((x + width - 4) * ratio, (y + 4) * ratio, 1, 1).data];
};
const wait = pixel('pread');
const core = pixel('sort');
type('scan');
return {drawn: drawn(), wait, core, match: pixel('scan'), other: pixel('sort')};)");
  EXPECT_EQ(result["drawn"], json({"all", "main", "execute", "scan sort", "fetch", "pread", "read",
                                   "wait", "[file read]"}));
  EXPECT_EQ(result["wait"], json({0x6c, 0xc1, 0xbb, 255}));
  EXPECT_EQ(result["core"], json({0xf6, 0xa5, 0x5f, 255}));
  EXPECT_EQ(result["match"], result["wait"]);
  EXPECT_EQ(result["other"][3], 64);  // a quarter
}

TEST_F(Page, AClickZoomsIn) {
  const json result = run(page({sample_profile(table_)}), R"(
const state = () => ({drawn: drawn(), path: byId('path').hidden ? '' : byId('path').innerText,
                      zoomed: graph.zoomed.frame?.name ?? 'all'});
pointAt('click', 'sort');
const inside = state();
const width = graph.boxOf(graph.zoomed).width - byId('graph').clientWidth;
click([...byId('path').querySelectorAll('button')].find(step => step.textContent === 'main'));
const main = state();
click(byId('path').querySelector('.reset'));
const reset = state();
pointAt('click', 'fetch');
press(document.body, 'Escape');
return {inside, width, main, reset, escaped: state()};)");
  EXPECT_EQ(result["inside"]["drawn"], json({"all", "main", "execute", "sort"}));
  EXPECT_EQ(result["inside"]["zoomed"], "sort");
  EXPECT_THAT(result["inside"]["path"].get<std::string>(), HasSubstr("execute"));
  EXPECT_EQ(result["width"], 0);
  EXPECT_EQ(result["main"]["zoomed"], "main");
  EXPECT_EQ(result["reset"]["zoomed"], "all");
  EXPECT_EQ(result["reset"]["path"], "");
  EXPECT_EQ(result["escaped"]["zoomed"], "all");
}

TEST_F(Page, SearchTellsThePartOfTheTime) {
  const json result = run(page({sample_profile(table_)}), R"(
const said = text => { type(text); return byId('matched').textContent; };
const found = ['SCAN', 'scan', 's', '.*', '[kernel', ''].map(said);
type('sort');
press(byId('search'), 'Escape');
return {found, after: byId('search').value, focused: document.activeElement.id};)");
  EXPECT_EQ(result["found"],
            json({"69.7 % in 1 function", "69.7 % in 1 function", "100 % in 2 functions",
                  "no match", "39.4 % in 2 functions", ""}));
  EXPECT_EQ(result["after"], "");
  EXPECT_EQ(result["focused"], "graph");
}

TEST_F(Page, RecursionIsMatchedOnce) {
  EXPECT_EQ(run(page({sample(table_, "f;g;f;f", 25), sample(table_, "g", 75)}),
                "type('f'); return byId('matched').textContent;"),
            "25.0 % in 1 function");
}

TEST_F(Page, ShowsStacksInOrderOfTime) {
  const json result =
      run(page({sample(table_, "main;a", 10), sample(table_, "main;b", 30, Cause::Sleep),
                sample(table_, "main;a;c", 10), sample(table_, "main;a;c", 10)}),
          R"(
const merged = drawn();
click(byId('ordered'));
pointAt('mousemove', 'a', 1);
return {merged, ordered: drawn(), tip: byId('tip').innerText,
        pressed: ['merged', 'ordered'].map(id => byId(id).getAttribute('aria-pressed'))};)");
  EXPECT_EQ(result["merged"], json({"all", "main", "a b", "c [sleep]"}));
  EXPECT_EQ(result["ordered"], json({"all", "main", "a b a", "[sleep] c"}));
  EXPECT_EQ(result["pressed"], json({"false", "true"}));
  EXPECT_THAT(result["tip"].get<std::string>(), HasSubstr("20 ns, 33.3 % (33.3 % of its caller)"));
  EXPECT_THAT(result["tip"].get<std::string>(), HasSubstr("2 stacks, from 2 ns on"));
}

TEST_F(Page, TellsWhatIsUnderThePointer) {
  const json result = run(page({sample_profile(table_)}), R"(
pointAt('mousemove', 'scan');
const tip = byId('tip').innerText;
byId('graph').dispatchEvent(new MouseEvent('mouseleave'));
return {tip, hidden: byId('tip').hidden};)");
  EXPECT_EQ(result["tip"],
            "scan\nmariadbd\n69.0 ms, 69.7 % (69.7 % of its caller)\n2 stacks\n"
            "file read 39.0 ms, 56.5 %\non cpu 30.0 ms, 43.5 %");
  EXPECT_EQ(result["hidden"], true);
}

TEST_F(Page, CanBeUsedWithTheKeyboard) {
  const json result = run(page({sample_profile(table_)}), R"(
byId('graph').focus();
const said = [];
for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight',
                   'ArrowLeft', 'ArrowUp', 'Home']) {
  press(byId('graph'), key);
  said.push(byId('status').textContent.split(';')[0]);
}
for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) press(byId('graph'), key);
const zoomed = graph.zoomed.frame.name;
press(byId('graph'), 'Escape');
press(document.body, '/');
return {said, zoomed, escaped: graph.zoomed.frame, focused: document.activeElement.id};)");
  EXPECT_EQ(result["said"], json({"all stacks", "main", "execute", "scan", "sort", "sort", "scan",
                                  "execute", "all stacks"}));
  EXPECT_EQ(result["zoomed"], "scan");
  EXPECT_EQ(result["escaped"], nullptr);
  EXPECT_EQ(result["focused"], "search");
}

TEST_F(Page, CausesCanBeLeftOut) {
  const json result = run(page({sample_profile(table_)}), R"(
const boxes = [...document.querySelectorAll('#causes input')];
const labels = boxes.map(box => box.parentElement.textContent);
click(boxes[1]);
const core = [graph.root.ns, ...drawn()];
click(boxes[0]);
return {labels, core, none: [byId('none').hidden, byId('graph').hidden]};)");
  EXPECT_EQ(result["labels"], json({"on cpu 60.0 ms, 60.6 %", "file read 39.0 ms, 39.4 %"}));
  EXPECT_EQ(result["core"], json({60'000'000, "all", "main", "execute", "scan sort"}));
  EXPECT_EQ(result["none"], json({false, true}));
}

TEST_F(Page, ShowsHostileTextsAsText) {
  model::StackProfile profile;
  profile.text = std::string(
      "</script><script>document.title='bad'</script><img src=x "
      "onerror=\"document.title='bad'\">\0&amp;\xff\u202e",
      98);
  const std::string name = "<b onmouseover=alert(1)>'\"</title><svg/onload=alert(1)>";
  profile.samples = {sample(table_, "", 1)};
  profile.samples[0].frames = {table_.intern(stacks::function(name))};
  const std::string html = page({profile, profile});
  EXPECT_THAT(document_of(html), HasSubstr("<title>Stacks of slow queries</title>"));
  const json result = run(html, R"(
press(byId('graph'), 'ArrowDown');
press(byId('graph'), 'ArrowDown');
return {title: document.title, text: byId('text').textContent, images: document.images.length,
        scripts: document.scripts.length, tip: byId('tip').querySelector('strong').textContent,
        list: document.querySelector('#queries .sql').textContent,
        strange: document.querySelectorAll('main b, main svg, #tip b, #tip svg').length};)");
  EXPECT_EQ(result["title"], "Stacks of slow queries");
  EXPECT_EQ(result["text"],
            "</script><script>document.title='bad'</script><img src=x "
            "onerror=\"document.title='bad'\">\\x00&amp;\\xff\\u202e");
  EXPECT_EQ(result["list"], result["text"]);
  EXPECT_EQ(result["tip"], name);
  EXPECT_EQ(result["images"], 0);
  EXPECT_EQ(result["scripts"], 3);  // data, page, test
  EXPECT_EQ(result["strange"], 0);
}

TEST_F(Page, AsksNobodyForAnything) {
  const json result = run(page(server_profiles(table_)), R"(
pointAt('mousemove', 'do_command');
click(byId('ordered'));
return performance.getEntriesByType('resource').map(({name}) => name);)");
  EXPECT_EQ(result, json::array());
}

TEST_F(Page, ManagesManyFunctions) {
  std::vector<model::Sample> samples;
  for (int i = 0; i < 500; ++i) {
    std::string stack;
    for (int deep = 0; deep < 100; ++deep)
      stack += "f" + std::to_string(deep) + "_" + std::to_string(deep < 3 ? 0 : i) + ";";
    samples.push_back(sample(table_, stack, 1'000));
  }
  const json result = run(page(std::move(samples)), R"(
const begin = performance.now();
type('f99');
click(byId('ordered'));
return {nodes: profile.frames.length, boxes: graph.rows.flat().length, rows: graph.rows.length,
        matched: byId('matched').textContent, took: performance.now() - begin};)");
  EXPECT_EQ(result["nodes"], 97 * 500 + 4);
  EXPECT_EQ(result["boxes"], 97 * 500 + 4);  // two pixels each
  EXPECT_EQ(result["rows"], 101);
  EXPECT_EQ(result["matched"], "100 % in 500 functions");
  EXPECT_LT(result["took"], 30'000);
}

TEST_F(Page, DrawsNothingThatNobodyCouldSee) {
  std::vector<model::Sample> samples = {sample(table_, "wide", 1'000'000)};
  for (int i = 0; i < 5'000; ++i)
    samples.push_back(sample(table_, "thin;t" + std::to_string(i), 1));
  EXPECT_EQ(run(page(std::move(samples)), "return drawn();"), json({"all", "wide thin"}));
}

TEST_F(Page, SaysWhenThereIsNothing) {
  EXPECT_THAT(document_of(page(std::vector<model::StackProfile>{})),
              HasSubstr("No stacks were taken."));
  model::StackProfile empty;
  EXPECT_EQ(run(page({empty}), "return [byId('none').hidden, byId('graph').hidden];"),
            json({false, true}));
}

TEST_F(Page, ThePictureIsValidAndItsTextsFit) {
  std::vector<model::StackProfile> profiles = server_profiles(table_);
  profiles[0].text = "select '<\u202e\x01\xff\uffff日本語日本語' from t where a && b";
  const std::string svg = written({.format = StackFormat::Svg}, table_, profiles);
  std::string html = page({sample_profile(table_)});
  html.insert(html.rfind("<script>"), "<div id=\"picture\">" + svg + "</div>");
  const json result = run(html, R"(
const text = byId('picture').innerHTML;
const strict = new DOMParser().parseFromString(
    new XMLSerializer().serializeToString(document.querySelector('#picture svg')), 'image/svg+xml');
const outside = [];
for (const box of document.querySelectorAll('#picture svg > g')) {
  const label = box.querySelector('text');
  if (!label) continue;
  const rects = [...box.querySelectorAll('rect')].map(rect => rect.getBBox());
  const right = Math.max(...rects.map(({x, width}) => x + width));
  const {x, width} = label.getBBox();
  if (x < rects[0].x || x + width > right) outside.push(label.textContent);
}
return {valid: strict.querySelector('parsererror') === null, outside,
        boxes: document.querySelectorAll('#picture svg > g').length};)");
  EXPECT_EQ(result["valid"], true);
  EXPECT_EQ(result["outside"], json::array());
  EXPECT_GT(result["boxes"], 50);
}

}  // namespace
}  // namespace dbtrace::output
