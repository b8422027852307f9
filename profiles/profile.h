// A profile is plain data: which functions of a server say what it is doing,
// and how to read their arguments and its session object. No code here knows
// ELF, eBPF or a server version; src/attach joins a profile with what a binary
// really contains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "symbols/result.h"

namespace dbtrace::profiles {

class FileNamer;

// Where a command's text stands when the dispatch function is entered.
enum class PacketLayout : uint8_t {
  RawPacket,  // char* packet, unsigned length (MySQL 5.6, all MariaDB)
  ComData,    // union COM_DATA* (MySQL 5.7 and later)
};

// One known parameter list of the dispatch function. The numbers are
// argument positions (0-based, integer argument registers of the C ABI).
struct DispatchShape {
  std::vector<std::string_view> parameters;  // as LLVM demangles them
  PacketLayout layout;
  int8_t command;
  int8_t session;
  int8_t packet;
  int8_t length;            // -1: the layout holds the length
  int8_t suspended_result;  // returned when not finished (it will be entered again); -1: none
};

// How the text of one command is found from its packet.
enum class TextRule : uint8_t {
  None,         // the command carries no text
  Packet,       // RawPacket: the whole packet
  PacketToNul,  // RawPacket: up to the first NUL
  Data32,       // ComData: pointer @0, u32 length @8
  Data64,       // ComData: pointer @0, u64 length @8
  Statement,    // text of the prepared statement being executed
  Reported,     // argument 1 of the report that the command begins with (Reports)
};

struct Command {
  uint8_t id;
  std::string_view name;      // COM_STMT_PREPARE is "Prepare": one word, so that it can be typed
  TextRule raw_packet;        // in a RawPacket server
  TextRule com_data;          // in a ComData server
  bool has_rows;              // rows sent/examined are this command's own
  bool changes_user = false;  // afterwards the session may belong to somebody else
  bool executes_one = false;  // TextRule::Statement: one statement, once
  bool step = false;          // leads to others: of interest by itself when it fails
  bool background = false;    // is shown, but not counted as a query: no client waits for its end
};

// What a query record carries about its session.
enum class Field : uint8_t {
  ConnectionId,
  User,
  Host,
  Ip,
  Database,
  RowsSent,
  RowsExamined,
  ErrorNumber,
  StatementText,  // relative to the prepared-statement object, not the session
  QueryText,      // of the statement that the session is executing
  // When it began: the sum of both, since Profile::epoch_us. A server that keeps it in
  // microseconds has no StartSeconds.
  StartSeconds,
  StartMicroseconds,
  Application,    // what the client calls itself
  QueryId,        // the server's own number of this kind of query
  CompletedRows,  // relative to argument 0 of Reports::statement_end
  // Of the session's transaction: Reports::in_transaction.
  TransactionState,
  WaitEvent,  // what the server says that it waits for: its kind is in the highest byte
};
inline constexpr size_t kFieldCount = 17;
[[nodiscard]] std::string_view field_name(Field field);

// What to take from the machine code of a small function. Unless the step says
// otherwise, the function's argument 0 is the object at hand. (src/code's
// members.h answers each of these.)
enum class Take : uint8_t {
  Returned,            // its return value
  StoredThrough,       // the value it stores at *argument N
  FirstStore,          // the address of the first member it stores to
  StoreOf,             // the address of the member it stores argument N to
  IndirectArgument,    // argument N of its calls through pointers
  ComparedMember,      // the member of kImage that it compares with constants
  ComparedObject,      // the object a member of which it compares with a constant
  CallArgument,        // argument N of its call to `callee`
  ReadMember,          // the Nth member it reads, counted from 0
  FirstComputedStore,  // the address of the first member it stores anything but a constant to
  Variable,            // `function` is a variable: the object at hand is the server's image
  PointerVariable,     // the same, and it points at a number of 4 bytes
};

inline constexpr int8_t kAnyObject = -1;
// The server's image in memory: members are variables, and what they point at.
inline constexpr int8_t kImage = -2;

struct Step {
  std::string_view function;  // qualified name, as symbols::Finder wants it
  Take take;
  int8_t argument = 0;  // N above
  // For CallArgument, as symbols::Finder wants it.
  std::string_view callee = {};
  // For Returned, CallArgument, StoreOf and ReadMember: which argument the object at hand is,
  // or kImage, or (not for Returned and ReadMember) kAnyObject when it may be the result of a
  // look-up.
  int8_t object = 0;
  // Tells overloads of `function` apart: the type of its first parameter, as
  // LLVM demangles it. Empty: any. Of several that fit, the first that decodes.
  std::string_view first_parameter = {};
  // For ReadMember of kImage: only members of what this variable points at, each counted once.
  std::string_view variable = {};
};

enum class Form : uint8_t {
  Number,  // a u32 or u64: as wide as the code's load or store
  // A {const char*, size_t length} pair when the code shows one (it hands out
  // its address, or both halves), else a NUL-terminated char*.
  Text,
  TextPair,  // such a pair by the server's sources, which the code does not show
  // {const char*, uint32_t length}, by the sources as well.
  ShortTextPair,
};

// One way to find a field. Steps compose: each starts at the object that the
// step before ended at; the first starts at the session (or, for
// StatementText, at the prepared statement).
struct FieldRule {
  Field field;
  Form form;
  std::vector<Step> steps;
  // When not empty: the offset this step finds is subtracted (a base class
  // that lies at an offset of the session object).
  std::vector<Step> minus = {};
};

// What a wait of the server is for, as far as dbtrace tells waits apart.
enum class Wait : uint8_t {
  Unknown,
  Sleep,
  FileRead,
  Fsync,
  Network,
  Lock,
  RowLock,
  MetadataLock,
  TableLock,
  UserLock,
  GlobalLock,
  Binlog,
  GroupCommit,
};

// How a server says what it waits for: `begin` is called before a wait, whose number
// is in argument `argument`, and `end` after it. Names as symbols::Finder wants them.
struct WaitHooks {
  std::string_view begin;
  std::string_view end;
  int8_t argument = 0;
  std::vector<Wait> waits;  // by number
};

// A server without one function that every command goes through. It calls `function`, with a
// number and a NUL-terminated text, at many places in its code; which command begins there is
// told by the first call that follows. Every function named here is one that stripped
// binaries show, and a session is a process.
struct Reports {
  std::string_view function = {};
  struct Place {
    uint8_t command;
    std::vector<std::string_view> before;  // calls that follow no other report
    std::string_view with = {};            // argument 0 of that call; empty: any
    // Where the command ends, of those that have an end of their own: when that call returns, or
    // when this function is called.
    bool is_that_call = false;
    std::string_view done_by = {};
  };
  std::vector<Place> places = {};
  std::vector<std::string_view> elsewhere = {};  // calls that follow reports of no interest
  // How the server numbers its states, told by the constant that `function` stores where it
  // stores its argument 0: what it says when nobody is to know.
  struct Numbering {
    uint64_t disabled;
    uint8_t running;
  };
  std::vector<Numbering> numberings = {};
  // Called when one of these commands has succeeded: after their places, and in functions.
  std::string_view end = {};
  std::vector<uint8_t> ended = {};
  std::vector<std::pair<uint8_t, std::string_view>> ended_in = {};
  // Called whenever a statement is done, argument 0 says with what (Field::CompletedRows). It
  // is also the end of command `completes`,
  std::string_view statement_end = {};
  uint8_t completes = 0;
  // which otherwise ends where this is called with that argument.
  std::string_view suspension = {};
  uint8_t suspension_argument = 0;
  // Command `next` begins with a `step` that comes just before it.
  uint8_t step = 0;
  uint8_t next = 0;
  // Called when a command has failed, and one of `failure_then` after it, or else it was but a
  // message; by the other two an error begins and gets its number.
  std::string_view failure = {};
  std::vector<std::string_view> failure_then = {};
  std::string_view error_begin = {};
  std::string_view error_number = {};
  uint32_t default_error = 0;
  // Returns the number of the error at hand, out of one of several objects.
  std::string_view error_accessor = {};
  // From this number on, Field::TransactionState says that the session is in a transaction. One
  // that is idle there is shown as this command while it lasts.
  uint32_t in_transaction = 0;
  uint8_t idle = 0;
  // Called in a process that works for another one, whose pid is argument 0: the first of them
  // that there is.
  std::vector<std::string_view> leader = {};
  // Executes one statement, calls itself for those inside it, and may be left by a long jump;
  // argument 0 is what Field::StatementText starts at.
  std::string_view execution = {};
};

// How a server writes its error numbers.
enum class ErrorForm : uint8_t {
  Number,
  Sqlstate,  // five characters of 6 bits each, the first in the lowest bits
};

// A server that always shows in Field::WaitEvent what it waits for: the kind in the highest
// byte, in the lower ones which of that kind.
struct WaitEvents {
  std::vector<Wait> kinds = {};  // by number
  uint8_t lock_kind = 0;         // of these, the lowest byte says
  std::vector<Wait> locks = {};  // what is locked, by number
};

// What a wait event is called.
struct WaitEventName {
  std::string type;   // of its kind; a number where that is not known
  std::string event;  // in it; a number where that is not known
};

// The language that a server talks with its clients.
enum class Protocol : uint8_t { Unknown, MySql, Postgres };

// What `dbtrace doctor --canary` has a server do to see whether dbtrace tells the truth of it.
struct Canary {
  Protocol protocol = Protocol::Unknown;  // Unknown: there is no canary
  // Sleeps for kCanarySleep_ns and returns one row; "{}" stands for the run's mark.
  std::string_view statement = {};
  // Each returns one value: Field::ConnectionId and Field::User of the session.
  std::string_view connection_id = {};
  std::string_view user = {};
};
inline constexpr uint64_t kCanarySleep_ns = 50'000'000;

struct Profile {
  std::string_view flavor;  // "mysql", "mariadb": the JSON `flavor`
  std::string_view title;   // "MySQL", "MariaDB"
  // Executable names that make a process worth a look even when stripped.
  std::vector<std::string_view> executables;
  // Any symbol with one of these prefixes decides for this flavour.
  std::vector<std::string_view> marker_prefixes;
  std::string_view
      version_symbol;  // char[] with the version, readable in the process; may be empty
  std::string_view version_text = {};  // instead: a constant that begins so and ends with it

  std::string_view dispatch;  // qualified name
  bool plain_names = false;   // dispatch is a C function: its symbol is its name
  // The server is a process that starts others from the same file, one a session.
  bool forks = false;
  // Then what a process without a client does, by its title; empty: not known.
  std::string (*process_name)(std::string_view title) = nullptr;
  std::vector<DispatchShape> shapes;
  // Entered once per execution of a prepared statement, argument 0 = the
  // prepared statement. Tried in order; all that exist are used.
  std::vector<std::string_view> statement_execution;
  // A function that is called, argument 0 = the session, when a command is done but
  // nothing of it is forgotten yet: by the dispatch function, and by
  // `completing_execution` for prepared statements, whose QueryText is there too
  // (then `statement_execution` is not needed). For servers that zero
  // Field::RowsExamined before they return. Empty: there is no need.
  std::string_view completion = {};
  std::string_view completing_execution = {};
  // Runs one statement of any kind and calls itself for those inside it (routines,
  // triggers); argument 0 = the session, whose QueryText is the statement's meanwhile.
  std::string_view statement = {};
  // The thread-local variable that points at the session that a thread is at work
  // on (raw name), and a function that returns its value: whichever is there.
  std::string_view thread_session = {};
  std::string_view thread_session_accessor = {};
  uint64_t epoch_us = 0;  // what its times count from, in microseconds since the Unix epoch
  WaitHooks wait_hooks = {};
  WaitEvents wait_events = {};
  Reports reports = {};  // instead of dispatch's begin and end
  ErrorForm error_form = ErrorForm::Number;
  Canary canary = {};
  // What the server keeps in a file, told by the file's name and that of its folder:
  // "schema.table", "redo", …; empty: not known. nullptr: as if it were always empty.
  std::string (*file_content)(std::string_view folder, std::string_view name) = nullptr;
  // What a server of this version calls the wait event of this number (Field::WaitEvent).
  WaitEventName (*wait_event)(std::string_view version, uint32_t number) = nullptr;
  // Instead, where that says nothing but numbers: for one server, by its process. `connection`
  // says how to ask the server itself, in the words of its clients; empty: do not. Errors: such
  // a connection cannot be. nullptr: names say enough.
  Result<std::shared_ptr<FileNamer>> (*file_namer)(uint32_t pid,
                                                   const std::string& connection) = nullptr;
  std::vector<FieldRule> fields;  // several rules for a field: the first that decodes wins
  std::vector<Command> commands;
};

// All profiles, most specific first: the first whose marker is in a binary is
// the binary's.
[[nodiscard]] std::span<const Profile> all();

// The name of a command, "Command 99" style fallback is the caller's business.
[[nodiscard]] const Command* find_command(const Profile& profile, uint8_t id);

}  // namespace dbtrace::profiles
