# embed_signatures(<target>) adds to <target> the tables that generate.py makes of signatures.json when it is built, so
# that a program reads no file and builds nothing when it starts.
find_program(TRAINWARDEN_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT TRAINWARDEN_PYTHON)
  find_program(TRAINWARDEN_PYTHON NAMES python3 REQUIRED)
endif()

function(embed_signatures target)
  set(folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  set(tables ${PROJECT_BINARY_DIR}/generated/failure/tables.cc)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated/failure)
  add_custom_command(
    OUTPUT ${tables}
    COMMAND ${TRAINWARDEN_PYTHON} ${folder}/generate.py ${folder}/signatures.json ${tables}
    DEPENDS ${folder}/generate.py ${folder}/signatures.json
    COMMENT "signatures of failures"
    VERBATIM)
  target_sources(${target} PRIVATE ${tables})
  # 64 KiB of log pass through these whole: here speed counts more than the size that -Os saves.
  foreach(name broken_lines failure_text level prefix process_names progress_bar signatures time_marks word_lists)
    set_source_files_properties(${folder}/${name}.cc PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:${fast}>")
  endforeach()
  # Of the others only what gets smaller by it is inlined.
  set_source_files_properties(${PROJECT_BINARY_DIR}/rooms/handlers/rules/failure.cc PROPERTIES COMPILE_OPTIONS
    "$<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:--param=max-inline-insns-size=2>")
endfunction()
