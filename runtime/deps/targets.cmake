# Imported targets for what build.sh built: trainwarden_deps::crypto, ::ssl, ::curl, ::httplib, ::rapidjson and ::fmt. Their
# include folder holds nothing else, and is a system folder to the compiler.
set(deps ${TRAINWARDEN_DEPS})
if(NOT deps)
  set(arch x86_64)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(arch arm64)
  endif()
  execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/build.sh ${arch} OUTPUT_VARIABLE deps RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    message(FATAL_ERROR "runtime/deps/build.sh ${arch} failed")
  endif()
  string(REGEX REPLACE ".*\n" "" deps "${deps}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/build.sh
               ${CMAKE_CURRENT_LIST_DIR}/fetch.sh ${CMAKE_CURRENT_LIST_DIR}/trim.pl ${CMAKE_CURRENT_LIST_DIR}/aarch64.cmake)
endif()
if(NOT EXISTS ${deps}/SOURCES)
  message(FATAL_ERROR "TRAINWARDEN_DEPS: expected a folder that runtime/deps/build.sh filled, found `${deps}`")
endif()

# Compilers get a path that stays when another set is built, so that a compiler cache still knows what has not changed.
set(include ${CMAKE_CURRENT_BINARY_DIR}/deps)
file(CREATE_LINK ${deps} ${include} SYMBOLIC)
string(APPEND include /include)

find_package(Threads REQUIRED)
foreach(name crypto ssl curl fmt)
  add_library(trainwarden_deps::${name} STATIC IMPORTED GLOBAL)
  set_target_properties(trainwarden_deps::${name} PROPERTIES IMPORTED_LOCATION ${deps}/lib/lib${name}.a)
endforeach()
foreach(name httplib rapidjson)
  add_library(trainwarden_deps::${name} INTERFACE IMPORTED GLOBAL)
endforeach()
foreach(name crypto ssl curl httplib rapidjson fmt)
  target_include_directories(trainwarden_deps::${name} SYSTEM INTERFACE ${include})
endforeach()

# Not Threads::Threads: that target is not global, and the folder of another project would have to find it once more.
target_link_libraries(trainwarden_deps::crypto INTERFACE ${CMAKE_THREAD_LIBS_INIT})
target_link_libraries(trainwarden_deps::ssl INTERFACE trainwarden_deps::crypto)
target_link_libraries(trainwarden_deps::curl INTERFACE trainwarden_deps::ssl)
target_compile_definitions(trainwarden_deps::curl INTERFACE CURL_STATICLIB)
target_include_directories(trainwarden_deps::httplib SYSTEM INTERFACE ${include}/httplib)
target_link_libraries(trainwarden_deps::httplib INTERFACE trainwarden_deps::ssl)
# As libfmt.a was compiled.
target_compile_definitions(trainwarden_deps::fmt INTERFACE "FMT_STATIC_THOUSANDS_SEPARATOR=','")
