-- A recording, version 3. docs/recordings.md says what each column means.
-- Tables have names in the singular and are made to be small: what many rows have in common
-- stands once, and a NULL or a zero takes no room. Views, in the plural, are made to be asked.

create table recording (
  id integer primary key check (id = 1),
  program text not null,
  begin_ns integer not null,
  end_ns integer not null,
  finished integer not null default 0,
  literals integer not null
);

create table server (
  id integer primary key,
  seen_ns integer not null,
  pid integer,
  flavor text not null,
  title text not null,
  version text,
  executable text not null,
  data text,
  plan text
);

-- What queries have in common.

create table session (
  id integer primary key,
  flavor text not null,
  pid integer not null,
  tid integer not null,
  connection integer,
  user text,
  host text,
  ip text,
  application text,
  database text
);

create table command (id integer primary key, number integer not null, name text not null);

create table kind (id integer primary key, fingerprint text not null, text text not null);

-- form: 0 the text as it was copied, 1 its kind's text only, 2 it could not be read,
-- 3 there is none.
create table text (
  id integer primary key,
  kind integer not null,
  form integer not null,
  text text,
  length integer,
  query_id integer
);

create table file (id integer primary key, name text not null, content text not null);
create table event (id integer primary key, type text not null, event text not null);
create table stack (id integer primary key, frames text not null);

-- Queries, in the order of their ends. `start_ns` counts from recording.begin_ns. `known` is a sum of
-- 1: operations on files, 2: waits by name, 4: stacks, 8: all of them in `sample`; a time on the core: the whole budget.

create table query (
  id integer primary key,
  start_ns integer,
  duration_ns integer,
  session integer not null,
  command integer not null,
  text integer not null,
  error integer,
  rows_sent integer,
  rows_examined integer,
  weight integer not null,
  known integer not null,
  on_cpu_ns integer,
  runqueue_ns integer
);

-- What few queries have; `query` is query.id.

create table blocked (
  query integer primary key,
  file_read_ns integer not null,
  file_write_ns integer not null,
  fsync_ns integer not null,
  lock_ns integer not null,
  network_ns integer not null,
  sleep_ns integer not null,
  other_ns integer not null,
  row_lock_ns integer not null,
  metadata_lock_ns integer not null,
  table_lock_ns integer not null,
  user_lock_ns integer not null,
  global_lock_ns integer not null,
  binlog_ns integer not null,
  group_commit_ns integer not null,
  unexplained_ns integer not null,
  voluntary_switches integer not null,
  involuntary_switches integer not null
);

create table detail (
  query integer primary key,
  sqlstate text not null,
  process_ended integer not null,
  running integer not null,
  start_unknown integer not null,
  coarse_kind integer not null,
  statement_id integer not null,
  parent_id integer not null,
  children_ns integer not null,
  depth integer not null,
  waits_for integer,
  other_waits_ns integer not null
);

create table blocker (
  query integer primary key,
  waited_ns integer not null,
  cause integer not null,
  pid integer not null,
  tid integer not null,
  thread text not null,
  title text not null,
  idle integer not null,
  connection integer,
  text integer
);

create table wait (
  query integer,
  place integer,
  event integer not null,
  ns integer not null,
  waits integer not null,
  primary key (query, place)
) without rowid;

create table io (
  query integer,
  operation integer,
  count integer not null,
  blocked integer not null,
  bytes integer not null,
  ns integer not null,
  max_ns integer not null,
  slowest_file integer,
  primary key (query, operation)
) without rowid;

create table file_io (
  query integer,
  place integer,
  operation integer,
  file integer not null,
  count integer not null,
  blocked integer not null,
  bytes integer not null,
  ns integer not null,
  max_ns integer not null,
  primary key (query, place, operation)
) without rowid;

-- Since version 3, and only if they are asked for: operations on files, one by one, in the order in
-- which they were told of. Times count from recording.begin_ns; `command_ns` is when the command
-- began that it was done for. `flags` is a sum of 1: it gave up the core, 2: nobody waited for it.
create table thread (
  id integer primary key,
  pid integer not null,
  tid integer not null,
  name text not null
);

create table single_io (
  id integer primary key,
  start_ns integer not null,
  duration_ns integer not null,
  file integer not null,
  operation integer not null,
  thread integer not null,
  command_ns integer,
  offset integer,
  bytes integer not null,
  flags integer not null,
  error integer not null
);

create table query_stack (
  query integer,
  place integer,
  stack integer not null,
  cause integer not null,
  ns integer not null,
  count integer not null,
  whole integer not null,
  primary key (query, place)
) without rowid;

-- Since version 3: all stacks of a query in the order of time. Calls are a tree: a function, called
-- by the `caller`, which is another call with a smaller id, or NULL. frame.kind: 0 the server's or a
-- library's, 1 inlined, 2 the kernel's, 3 no function.

create table frame (
  id integer primary key,
  kind integer not null,
  name text not null,
  module text not null,
  offset integer,
  source text
);

create table call (id integer primary key, caller integer, frame integer not null);

create table sample (
  query integer,
  place integer,
  call integer,
  cause integer not null,
  time_ns integer not null,
  ns integer not null,
  count integer not null,
  whole integer not null,
  primary key (query, place)
) without rowid;

-- Stretches of time in which there were too many queries to keep all.

create table stretch (
  id integer primary key,
  begin_ns integer not null,
  end_ns integer not null,
  first_query integer not null,
  queries integer not null,
  kept integer not null,
  one_in integer not null,
  slow_ns integer not null
);

create table kind_sum (
  stretch integer,
  kind integer,
  count integer not null,
  errors integer not null,
  total_ns integer not null,
  max_ns integer not null,
  rows_sent integer not null,
  rows_sent_known integer not null,
  rows_examined integer not null,
  rows_examined_known integer not null,
  budgets integer not null,
  on_cpu_ns integer not null,
  runqueue_ns integer not null,
  file_read_ns integer not null,
  file_write_ns integer not null,
  fsync_ns integer not null,
  lock_ns integer not null,
  network_ns integer not null,
  sleep_ns integer not null,
  other_ns integer not null,
  row_lock_ns integer not null,
  metadata_lock_ns integer not null,
  table_lock_ns integer not null,
  user_lock_ns integer not null,
  global_lock_ns integer not null,
  binlog_ns integer not null,
  group_commit_ns integer not null,
  unexplained_ns integer not null,
  io_known integer not null,
  primary key (stretch, kind)
) without rowid;

create table kind_io (
  stretch integer,
  kind integer,
  operation integer,
  count integer not null,
  blocked integer not null,
  bytes integer not null,
  ns integer not null,
  max_ns integer not null,
  primary key (stretch, kind, operation)
) without rowid;

create table kind_duration (
  stretch integer,
  kind integer,
  at_least_ns integer,
  at_most_ns integer not null,
  count integer not null,
  primary key (stretch, kind, at_least_ns)
) without rowid;

-- What is missing, and what it cost.

create table loss (
  id integer primary key,
  at_ns integer not null,
  what text not null,
  count integer not null
);

-- Since version 2.
create table incident (
  id integer primary key,
  at_ns integer not null,
  condition text not null,
  value text not null
);

-- Since version 3: what all queries together spent, second by second, and the waits that ended.
create table second (
  id integer primary key,
  end_ns integer not null,
  length_ns integer not null,
  queries integer not null
);

create table second_cause (
  second integer,
  cause integer,
  ns integer not null,
  now integer not null,
  primary key (second, cause)
) without rowid;

create table second_wait (
  second integer,
  cause integer,
  at_least_ns integer,
  at_most_ns integer not null,
  count integer not null,
  primary key (second, cause, at_least_ns)
) without rowid;

create table second_event (
  second integer,
  event integer,
  ns integer not null,
  waits integer not null,
  now integer not null,
  primary key (second, event)
) without rowid;

create table counter (name text primary key, value integer not null) without rowid;

create table cause (id integer primary key, name text not null);
create table operation (id integer primary key, name text not null);
insert into operation values (0, 'read'), (1, 'write'), (2, 'fsync');

-- To be asked.

create view queries as
select
  query.id as id,
  strftime('%Y-%m-%d %H:%M:%f',
           ((select begin_ns from recording) + query.start_ns) / 1000 / 1e6, 'unixepoch') as start,
  (select begin_ns from recording) + query.start_ns as start_ns,
  query.duration_ns as duration_ns,
  query.weight as weight,
  session.pid as pid,
  session.tid as tid,
  session.connection as connection,
  session.user as user,
  coalesce(nullif(session.host, ''), session.ip) as host,
  session.application as application,
  session.database as database,
  command.name as command,
  iif(text.form = 1, kind.text, text.text) as text,
  kind.id as kind,
  kind.fingerprint as fingerprint,
  kind.text as kind_text,
  query.error as error,
  detail.sqlstate as sqlstate,
  query.rows_sent as rows_sent,
  query.rows_examined as rows_examined,
  text.query_id as query_id,
  query.on_cpu_ns as on_cpu_ns,
  query.runqueue_ns as runqueue_ns,
  iif(query.on_cpu_ns is null, null, coalesce(blocked.file_read_ns, 0)) as file_read_ns,
  iif(query.on_cpu_ns is null, null, coalesce(blocked.file_write_ns, 0)) as file_write_ns,
  iif(query.on_cpu_ns is null, null, coalesce(blocked.fsync_ns, 0)) as fsync_ns,
  iif(query.on_cpu_ns is null, null, coalesce(blocked.lock_ns, 0)) as lock_ns,
  iif(query.on_cpu_ns is null, null, coalesce(blocked.network_ns, 0)) as network_ns,
  iif(query.on_cpu_ns is null, null, coalesce(blocked.sleep_ns, 0)) as sleep_ns,
  iif(query.on_cpu_ns is null, null, coalesce(blocked.other_ns, 0)) as other_ns,
  iif(query.on_cpu_ns is null, null, coalesce(blocked.row_lock_ns, 0)) as row_lock_ns,
  iif(query.on_cpu_ns is null, null, coalesce(blocked.metadata_lock_ns, 0)) as metadata_lock_ns,
  iif(query.on_cpu_ns is null, null, coalesce(blocked.table_lock_ns, 0)) as table_lock_ns,
  iif(query.on_cpu_ns is null, null, coalesce(blocked.user_lock_ns, 0)) as user_lock_ns,
  iif(query.on_cpu_ns is null, null, coalesce(blocked.global_lock_ns, 0)) as global_lock_ns,
  iif(query.on_cpu_ns is null, null, coalesce(blocked.binlog_ns, 0)) as binlog_ns,
  iif(query.on_cpu_ns is null, null, coalesce(blocked.group_commit_ns, 0)) as group_commit_ns,
  iif(query.on_cpu_ns is null, null, coalesce(blocked.unexplained_ns, 0)) as unexplained_ns,
  iif(query.on_cpu_ns is null, null, coalesce(
      blocked.lock_ns + blocked.row_lock_ns + blocked.metadata_lock_ns + blocked.table_lock_ns +
      blocked.user_lock_ns + blocked.global_lock_ns + blocked.binlog_ns +
      blocked.group_commit_ns, 0)) as locks_ns
from query
join session on session.id = query.session
join command on command.id = query.command
join text on text.id = query.text
join kind on kind.id = text.kind
left join blocked on blocked.query = query.id
left join detail on detail.query = query.id;

create view blockers as
select
  blocker.query as query,
  blocker.waited_ns as waited_ns,
  cause.name as cause,
  blocker.pid as pid,
  blocker.tid as tid,
  blocker.thread as thread,
  blocker.title as title,
  blocker.idle as idle,
  blocker.connection as connection,
  iif(text.form = 1, kind.text, text.text) as text,
  kind.fingerprint as fingerprint
from blocker
join cause on cause.id = blocker.cause
left join text on text.id = blocker.text
left join kind on kind.id = text.kind;

create view waits as
select wait.query as query, event.type as type, event.event as event, wait.ns as ns,
       wait.waits as waits
from wait join event on event.id = wait.event;

create view seconds as
select strftime('%Y-%m-%d %H:%M:%f', second.end_ns / 1000 / 1e6, 'unixepoch') as end,
       second.end_ns as end_ns, second.length_ns as length_ns, second.queries as queries,
       cause.name as cause, second_cause.ns as ns, second_cause.now as now
from second
left join second_cause on second_cause.second = second.id
left join cause on cause.id = second_cause.cause;

create view file_operations as
select file_io.query as query, file.name as file, file.content as content,
       operation.name as operation, file_io.count as count, file_io.blocked as blocked,
       file_io.bytes as bytes, file_io.ns as ns, file_io.max_ns as max_ns
from file_io
join file on file.id = file_io.file
join operation on operation.id = file_io.operation;

create view single_operations as
select strftime('%Y-%m-%d %H:%M:%f',
                ((select begin_ns from recording) + single_io.start_ns) / 1000 / 1e6,
                'unixepoch') as start,
       (select begin_ns from recording) + single_io.start_ns as start_ns,
       single_io.duration_ns as duration_ns, operation.name as operation,
       single_io.flags & 2 <> 0 as asynchronous, file.name as file, file.content as content,
       single_io.offset as offset, single_io.bytes as bytes, single_io.flags & 1 as blocked,
       single_io.error as error, thread.pid as pid, thread.tid as tid, thread.name as thread,
       (select begin_ns from recording) + single_io.command_ns as query_start_ns
from single_io
join thread on thread.id = single_io.thread
join file on file.id = single_io.file
join operation on operation.id = single_io.operation;

create view stacks as
select query_stack.query as query, cause.name as cause, query_stack.ns as ns,
       query_stack.count as count, query_stack.whole as whole, stack.frames as frames
from query_stack
join stack on stack.id = query_stack.stack
join cause on cause.id = query_stack.cause;

create view samples as
select sample.query as query, sample.time_ns as time_ns, cause.name as cause, sample.ns as ns,
       sample.count as count, sample.whole as whole, frame.name as function, frame.module as module
from sample
join cause on cause.id = sample.cause
left join call on call.id = sample.call
left join frame on frame.id = call.frame;
