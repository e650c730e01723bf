# embed_aws_model(<target>) adds to <target> the tables that generate.py makes of aws_model.json and aws_notes.json when it
# is built.
function(embed_aws_model target)
  set(folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  set(tables ${PROJECT_BINARY_DIR}/generated/job/aws_tables.cc)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated/job)
  add_custom_command(
    OUTPUT ${tables}
    COMMAND ${TRAINWARDEN_PYTHON} ${folder}/generate.py ${folder}/aws_model.json ${folder}/aws_notes.json ${tables}
    DEPENDS ${folder}/generate.py ${folder}/aws_model.json ${folder}/aws_notes.json
    COMMENT "AWS's model"
    VERBATIM)
  target_sources(${target} PRIVATE ${tables})
endfunction()
