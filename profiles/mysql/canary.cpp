#include "profiles/mysql/family.h"

namespace dbtrace::profiles::mysql {

Canary canary() {
  // USER() is the name that the client gave, as the session has it; CURRENT_USER() is an account's.
  return {.protocol = Protocol::MySql,
          .statement = "select /* dbtrace canary {} */ sleep(0.05)",
          .connection_id = "select connection_id()",
          .user = "select substring_index(user(), '@', 1)"};
}

}  // namespace dbtrace::profiles::mysql
