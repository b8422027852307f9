// Work that a SIGKILL of dbtrace must not interrupt.
#pragma once

#include <functional>

namespace dbtrace::attach {

// Runs `work` to its end even if this process is killed meanwhile, and returns after it.
//
// Why: a fatal signal makes the kernel give up in the midst of putting probes in or taking them
// out, and what it has not taken out by then stays in the server until that ends: breakpoints
// that trap for nobody (uprobe_unregister() warns "leaking uprobe"; get_user_pages() refuses to
// work for a task with a fatal signal). A process that shares our memory and descriptors but not
// our signals finishes what it does; the descriptors, hence the probes, go when it ends.
//
// Who kills all processes of a control group at once, or every process by its command line, kills
// that one too. Where no process is to be had, `work` runs here.
// `work` must not throw, start threads or take long. Threads may call this at once.
void run_apart(const std::function<void()>& work);

}  // namespace dbtrace::attach
