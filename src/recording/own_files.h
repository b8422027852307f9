// The files that a recording has: what SQLite may touch on behalf of one.
#pragma once

namespace dbtrace::recording {

// The name of a VFS (https://sqlite.org/vfs.html) that is SQLite's own but for the files that no
// recording has. Whoever made a recording, or can write into its folder, decides what SQLite finds
// there, and dbtrace may be root: a journal may name a "super-journal", which SQLite would remove
// when it takes back a transaction; a write-ahead log may be a link to a file that SQLite would
// give to the recording's owner; and a pipe would never end. Registered by the first call;
// thread-safe.
[[nodiscard]] const char* own_files();

}  // namespace dbtrace::recording
