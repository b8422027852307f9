# Adds up what the tests did and prints each skipped and failed one, then the
# closing line "N passed, N failed, N skipped". Exits 1 if a test failed or none
# ran.
#
#   awk -f summary.awk CASES.xml… CTEST.xml…
#
# CTEST.xml is `ctest --output-junit`: one entry a program. CASES.xml are what
# the GoogleTest programs wrote: one entry a case, the file named after the
# program. A program without such a file counts as one case (it is not a
# GoogleTest program, or it crashed before it could write); a program that
# failed while all its cases passed counts as one failed case.

function attribute(name,    value) {
  if (!match($0, " " name "=\"[^\"]*\"")) return ""
  value = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4)
  gsub(/&#x0[AaDd];/, "\n", value)
  gsub(/&quot;/, "\"", value); gsub(/&apos;/, "'", value)
  gsub(/&lt;/, "<", value); gsub(/&gt;/, ">", value); gsub(/&amp;/, "\\&", value)
  return value
}

function report_failed(name, why) {
  ++failed
  failures = failures "FAILED  " name (why == "" ? "" : ": " why) "\n"
}

function report_skipped(name, why) {
  ++skipped
  skips = skips "SKIPPED " name ": " why "\n"
}

function first_line(text) {
  sub(/\n.*/, "", text)
  return text
}

# GoogleTest's reason is "file:line\nwhat the test said".
function said(message) {
  sub(/^[^\n]*\n/, "", message)
  sub(/^Skipped\n/, "", message)
  gsub(/\n+$/, "", message)
  gsub(/\n/, " ", message)
  return message
}

function end_case() {
  if (name == "") return
  if (junit) end_program()
  else if (case_failed) { report_failed(program ": " name, where); ++failed_in[program] }
  else if (disabled) report_skipped(program ": " name, "disabled in its source")
  else if (!case_skipped) ++passed
  # A set-up that fails leaves cases behind that are "skipped" without a word.
  else if (reason == "") { report_failed(program ": " name, "skipped without a reason"); ++failed_in[program] }
  else report_skipped(program ": " name, reason)
  name = ""
}

function end_program() {
  if (name in has_cases) {
    if (status != "run" && !failed_in[name]) report_failed(name, "every case passed, but the program failed")
  } else if (case_skipped || status == "notrun" || status == "disabled") {
    # Not run because it was not built, say, is no reason to be content.
    if (case_skipped && reason ~ /SKIP_/) report_skipped(name, reason)
    else report_failed(name, "did not run: " reason)
  } else if (status != "run") {
    report_failed(name, "failed or crashed before it could report its cases")
  } else ++passed
}

FNR == 1 { end_case(); junit = 0; cdata = 0 }

# Quoted output may look like anything.
cdata { if (/\]\]>/) cdata = 0; next }

/^<testsuite / { junit = 1 }
/^<testsuites / {
  program = FILENAME
  sub(/.*\//, "", program)
  sub(/\.xml$/, "", program)
  has_cases[program] = 1
}

/^[ \t]*<testcase / {
  end_case()
  name = attribute("classname")
  name = junit ? attribute("name") : name "." attribute("name")
  status = attribute("status")
  case_failed = case_skipped = 0
  disabled = (status == "notrun")
  where = reason = ""
}
/^[ \t]*<failure / { if (!case_failed++) where = first_line(attribute("message")) }
/^[ \t]*<skipped / { case_skipped = 1; reason = junit ? attribute("message") : said(attribute("message")) }

/<!\[CDATA\[/ && !/\]\]>/ { cdata = 1 }

END {
  end_case()
  if (passed + failed + skipped == 0) report_failed("no test ran")
  printf "%s%s%d passed, %d failed, %d skipped\n", skips, failures, passed, failed, skipped
  exit failed > 0
}
