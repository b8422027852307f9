# Reads apt's source files, both the one-line form and deb822, and prints
#   URI KEYRING
# of the first enabled binary source that offers `suite`'s component main.
# KEYRING is "-" where the source names no keyring file.
#
#   awk -v suite=bookworm -f apt_sources.awk FILE…

function offer(uri, suites, components, keyring,    list, i) {
  if (found || (" " components " ") !~ / main /) return
  for (i = split(suites, list, " "); i > 0; --i) {
    if (list[i] != suite) continue
    sub(/\/$/, "", uri)
    print uri, (keyring ~ /^\// ? keyring : "-")
    found = 1
  }
}

function end_stanza(    uris) {
  if (field["types"] ~ /(^| )deb( |$)/ && tolower(field["enabled"]) != "no") {
    split(field["uris"], uris, " ")
    offer(uris[1], field["suites"], field["components"], field["signed-by"])
  }
  split("", field)
}

FNR == 1 { end_stanza() }
/^[ \t]*#/ { next }

/^deb[ \t]/ {
  keyring = ""
  if (match($0, /\[[^]]*\]/)) {
    split(substr($0, RSTART + 1, RLENGTH - 2), options, " ")
    for (i in options) {
      if (sub(/^signed-by=/, "", options[i])) keyring = options[i]
    }
    sub(/\[[^]]*\]/, "")
  }
  uri = $2; suites = $3
  $1 = $2 = $3 = ""
  offer(uri, suites, $0, keyring)
  next
}

/^[A-Za-z-]+:/ {
  name = tolower(substr($0, 1, index($0, ":") - 1))
  value = substr($0, index($0, ":") + 1)
  gsub(/^[ \t]+|[ \t]+$/, "", value)
  field[name] = value
  next
}
/^[ \t]/ { field[name] = field[name] " " $0; next }
/^$/ { end_stanza() }
END { end_stanza() }
