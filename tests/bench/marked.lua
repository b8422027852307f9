-- sysbench: the point select, each with a number of its own in front ("/*m3.17*/"), by which a
-- recording is held against what was executed. One connection a thread, no other statements.

sysbench.cmdline.options = {tables = {"", 1}, table_size = {"", 10000}, db_ps_mode = {"", "disable"}}

function thread_init()
   connection = sysbench.sql.driver():connect()
   count = 0
end

function event()
   count = count + 1
   connection:query(string.format("SELECT /*m%d.%d*/ c FROM sbtest1 WHERE id=%d", sysbench.tid, count,
                                  sysbench.rand.default(1, 10000)))
end

function thread_done()
   connection:disconnect()
end
