// Profiles like those of a real server, to look at and to draw.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tests/unit/stacks/samples.h"

namespace dbtrace::output {

// A stack, how heavy it is, and what its thread did in it.
struct Way {
  std::string stack;
  uint64_t weight;
  model::Cause cause;
};

inline model::StackProfile profile_of(stacks::FrameTable& table, std::string text,
                                      const std::vector<Way>& ways, unsigned samples) {
  const std::string begin =
      "clone3;start_thread;pfs_spawn_thread;handle_one_connection;do_handle_one_connection;"
      "do_command;dispatch_command;mysql_parse;mysql_execute_command;";
  constexpr uint64_t kPeriod_ns = 10'101'010;
  std::mt19937 random(7);
  std::vector<double> weights;
  for (const Way& way : ways) weights.push_back(static_cast<double>(way.weight));
  std::discrete_distribution<size_t> choose(weights.begin(), weights.end());
  model::StackProfile profile;
  profile.text = std::move(text);
  uint64_t now = 0;
  size_t chosen = 0;
  for (unsigned i = 0; i < samples; ++i) {
    if (random() % 3 == 0 || i == 0) chosen = choose(random);
    const Way& way = ways[chosen];
    const uint64_t ns = way.cause == model::Cause::OnCpu ? kPeriod_ns : random() % 30'000'000;
    model::Sample sample = stacks::sample(table, begin + way.stack, ns, way.cause);
    sample.time_ns = now;
    now += ns;
    profile.budget.by_cause_ns[static_cast<size_t>(way.cause)] += ns;
    profile.samples.push_back(std::move(sample));
  }
  profile.duration_ns = now + 1'000'000;
  profile.budget.unexplained_ns = 1'000'000;
  return profile;
}

inline std::vector<model::StackProfile> server_profiles(stacks::FrameTable& table) {
  using model::Cause;
  const std::string select =
      "execute_sqlcom_select;handle_select;mysql_select;JOIN::exec;JOIN::exec_inner;do_select;";
  const std::string read =
      "row_search_mvcc;btr_pcur_t::move_to_next_page;buf_page_get_gen;"
      "buf_read_page;fil_space_t::io;os_file_pread;pread64;";
  const std::string enter = "entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k];";
  const std::string wait = "io_schedule_[k];schedule_[k];__schedule_[k]";
  const std::string scan =
      select + "sub_select;rr_sequential;handler::ha_rnd_next;ha_innobase::general_fetch;";
  std::vector<model::StackProfile> profiles;
  profiles.push_back(profile_of(
      table,
      "select o.id, o.note from orders o join customers c on c.id = o.customer_id where "
      "o.note like '%late delivery%' and c.country in ('DE', 'AT', 'CH') order by o.id",
      {{scan + read + enter + "__x64_sys_pread64_[k];vfs_read_[k];ext4_file_read_iter_[k];" +
            "filemap_read_[k];folio_wait_bit_common_[k];" + wait,
        45, Cause::FileRead},
       {scan + "row_search_mvcc;row_sel_store_mysql_rec;row_sel_store_mysql_field", 14,
        Cause::OnCpu},
       {scan + "row_search_mvcc;rec_get_offsets_func", 8, Cause::OnCpu},
       {scan + "row_search_mvcc;buf_page_optimistic_get;mtr_t::page_lock", 4, Cause::OnCpu},
       {select + "evaluate_join_record;Item_cond_and::val_int;Item_func_like::val_int;" +
            "Item_func_like::turboBM_matches",
        22, Cause::OnCpu},
       {select + "evaluate_join_record;Item_cond_and::val_int;Item_func_in::val_int;" +
            "in_string::find;my_strnncollsp_utf8mb4",
        9, Cause::OnCpu},
       {select + "end_send;select_send::send_data;Protocol::send_result_set_row", 2, Cause::OnCpu},
       {scan + "row_search_mvcc;rec_get_offsets_func", 2, Cause::RunQueue}},
      420));
  profiles.push_back(profile_of(
      table, "update accounts set balance = balance - ? where id = ?",
      {{"mysql_update;handler::ha_update_row;ha_innobase::update_row;row_update_for_mysql;"
        "row_upd_step;lock_clust_rec_modify_check_and_lock;lock_wait;pthread_cond_timedwait;" +
            enter + "futex_wait_queue_[k];schedule_[k]",
        60, Cause::RowLock},
       {"trans_commit_stmt;ha_commit_trans;MYSQL_BIN_LOG::group_commit;MYSQL_BIN_LOG::sync;"
        "fdatasync;" +
            enter + "ext4_sync_file_[k];" + wait,
        30, Cause::Fsync},
       {"mysql_update;handler::ha_update_row;ha_innobase::update_row;row_upd_clust_step", 5,
        Cause::OnCpu}},
      160));
  profiles.back().queries = 38;
  profiles.push_back(profile_of(
      table, "select city, count(*) from customers group by city order by 2 desc",
      {{select + "sub_select;rr_sequential;handler::ha_rnd_next;row_search_mvcc", 30, Cause::OnCpu},
       {select + "end_update;heap_write;hp_rec_hashnr", 25, Cause::OnCpu},
       {"execute_sqlcom_select;handle_select;mysql_select;JOIN::exec;create_sort_index;filesort;"
        "std::sort;std::__introsort_loop",
        40, Cause::OnCpu}},
      60));
  return profiles;
}

}  // namespace dbtrace::output
