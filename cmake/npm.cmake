# npm_packages(FOLDER): fetches what FOLDER/package-lock.json names, which holds every package's checksum,
# into the build folder, once, and sets <FOLDER's name>_modules to where it is; to "" where there is no
# npm, or no registry that it reaches.
find_program(NPM NAMES npm)  # npm

function(npm_packages folder)
  cmake_path(ABSOLUTE_PATH folder OUTPUT_VARIABLE source)
  cmake_path(GET source FILENAME name)
  set(place ${CMAKE_CURRENT_BINARY_DIR}/${name})
  set(modules ${place}/node_modules)
  set(lock ${source}/package-lock.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lock})
  set(failed 0)
  if(NOT NPM)
    set(failed "npm is missing (Debian: npm)")
  elseif(NOT EXISTS ${modules}/.package-lock.json OR ${lock} IS_NEWER_THAN ${modules}/.package-lock.json)
    file(COPY ${source}/package.json ${lock} DESTINATION ${place})
    execute_process(
      COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --loglevel=error
      WORKING_DIRECTORY ${place} TIMEOUT 300 OUTPUT_QUIET ERROR_VARIABLE error RESULT_VARIABLE failed)
    if(failed)
      set(failed "npm ci failed: ${error}")
    else()
      file(TOUCH ${modules}/.package-lock.json)
    endif()
  endif()
  if(failed)
    message(WARNING "What ${lock} names could not be fetched. ${failed}")
    set(modules "")
  endif()
  set(${name}_modules "${modules}" PARENT_SCOPE)
endfunction()
