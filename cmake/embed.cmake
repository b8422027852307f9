# embed_files(TARGET NAME FILE…): compiles the FILEs, one behind the other, into TARGET; those that
# are made meanwhile go by their absolute paths. They are its `const std::string_view NAME` in the namespace dbtrace::embedded.
set(embed_script ${CMAKE_CURRENT_LIST_DIR}/embed_script.cmake)

function(embed_files target name)
  set(files)
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file NORMALIZE)
    list(APPEND files ${file})
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DSOURCE=${source} "-DFILES=${files}" -P ${embed_script}
    DEPENDS ${files} ${embed_script}
    COMMENT "Embedding ${name}" VERBATIM)
  target_sources(${target} PRIVATE ${source})
endfunction()
