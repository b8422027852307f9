// What the accessors of a server look like, in miniature: the source of the
// bytes in aarch64_samples.h. Not part of any build. Compiled with clang 14,
//   clang++ --target=aarch64-linux-gnu -O2 -mbranch-protection=standard -fno-exceptions -c
// read with llvm-objdump; calls were then linked to made-up addresses.
typedef __SIZE_TYPE__ size_t;
extern "C" {
void* memcpy(void*, const void*, size_t);
char* strncpy(char*, const char*, size_t);
}
struct Pair {
  const char* str;
  size_t length;
};
struct Security_context {
  const char *host, *name, *ip;
  char pad[0x20];
  Pair user_pair;
  Pair user() const;
};
struct Area {
  char pad[0x8c];
  int status;
  char message[0x20c];
  unsigned number;
  void set_error_status(unsigned, const char*, const char*);
};
struct Profiling;
void set_query_source(Profiling*, const char*, size_t);
struct Statement {
  void* vtable;
  void* others[8];
  Pair text;
  void set_statement(Statement*);
};
struct Prepared_statement {
  char pad[0x250];
  Pair text;
};
struct THD {
  void* vtable;
  Statement statement;
  char pad0[0x558 - 0x60];
  Pair db;  // db behind
  char pad1[0x1800 - 0x568];
  Security_context* security;
  char pad2[0x22a0 - 0x1808];
  unsigned long long sent, examined;
  Profiling* profiling;
  void* locker;
  char pad3[0x25d0 - 0x22c0];
  unsigned id;
  char pad4[0x8000 - 0x25d4];
  Area* area;  // out of reach of one ldr
  void set_sent_row_count(unsigned long long);
  void inc_examined_row_count(unsigned long long);
  bool set_db(const Pair&);
  void set_statement(Statement*);
};
void my_free(void*);
char* my_strndup(const char*, size_t);
void rows_sent(void*, unsigned long long);
void check(Area*);
void lock(void*);
extern "C" {
unsigned thd_get_thread_id(const THD* t) { return t->id; }
const char* thd_user_name(THD* t) { return t->security ? t->security->name : nullptr; }
const char* thd_client_host(THD* t) { return !t->security ? "" : t->security->host; }
Pair* thd_query_string(THD* t) { return &t->statement.text; }
unsigned thd_get_error_number(const THD* t) { return t->area->number; }
}
bool thd_get_security_context(THD* t, Security_context** out) {
  if (!out) return true;
  *out = t->security;
  return false;
}
Pair Security_context::user() const { return user_pair; }
void THD::set_sent_row_count(unsigned long long n) {
  sent = n;
  if (locker) rows_sent(locker, n);
}
void THD::inc_examined_row_count(unsigned long long n) {
  examined += n;
  if (locker) rows_sent(locker, n);
}
bool thd_is_error(const THD* t) { return t->area->status == 3; }
void Area::set_error_status(unsigned n, const char* text, const char*) {
  check(this);
  if (status == 4) return;
  number = n;
  strncpy(message, text, 511);
  status = 3;
}
bool THD::set_db(const Pair& name) {
  lock(this);
  if (db.str && name.str && db.length >= name.length) {
    memcpy(const_cast<char*>(db.str), name.str, name.length + 1);
  } else {
    my_free(const_cast<char*>(db.str));
    db = {};
    if (name.str) db.str = my_strndup(name.str, name.length);
    if (!db.str) return true;
  }
  db.length = name.length;
  return false;
}
void log_id(THD*);
void mysqld_stmt_execute(THD* t, Prepared_statement* s) {
  log_id(t);
  set_query_source(t->profiling, s->text.str, s->text.length);
  lock(s);
}
void THD::set_statement(Statement* s) {
  lock(this);
  statement.set_statement(s);
  lock(this);
}
