// The keys, and what is shown.
#include "src/commands/top/pages.h"

namespace dbtrace::commands::top {

void draw_help(Paper& paper) {
  paper.copy(R"(
F1 1    kinds of query              ?  h   this page
F2 2 r  what runs now               q      quit
F3 3 w  where all query time goes   p      pause: what is shown stays, counting
F4 4 i  I/O by table                Space  goes on
                                    z      start over from zero
Up Down PgUp PgDn Home End, or k j b f g G, move
Enter   open the selected kind      Esc    leave page, row, filter
/       filter by a part of the text
s       sort by the next of these, or by:
        T time  C rate  M mean  P p99  X max  I I/O time  E errors
o       over the last interval, or over the whole run
While a row is selected, rows stay where they are; Esc lets them go.
In a recording (--from): Left Right, or , .   an interval back, on
Space p  play, stand     [ ]  a minute back, on     < >  to its begin, its end

/S            queries a second that ended   P50 P95 P99  how long they took
SHARE         of the time of all queries    (other)      beyond --max-kinds
LAST MINUTE   queries, up to the kind's own highest
TIME          C cpu  Q run queue  R read  W write  F fsync  L locks  N network
              Z sleep  O other  ? unexplained (docs/budget.md)
)");
}

}  // namespace dbtrace::commands::top
