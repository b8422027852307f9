# Writes SOURCE: see embed.cmake. The files must not hold the end of the raw string.
set(text "")
foreach(file IN LISTS FILES)
  file(READ ${file} content)
  string(APPEND text "${content}")
endforeach()
file(WRITE ${SOURCE} "#include <string_view>
namespace dbtrace::embedded {
extern const std::string_view ${NAME};
const std::string_view ${NAME} = R\"embedded(${text})embedded\";
}
")
