# usage: cmake -DSOURCE=<root of the sources> -DVERSION=<of the project> -DOUT=<folder> -P build_info.cmake
# Writes OUT/build_info.cc, which defines build_info(), and OUT/build_info.json, which says the same to tools. A file that
# would say the same is left as it is, so that nothing is compiled again. The commit is
#   - that of SOURCE, if SOURCE is the root of a git checkout (not a tarball unpacked somewhere in another one), with
#     "+changes" where its files differ from the commit, or a folder of what is shipped has a file that git does not know;
#   - else what the environment's TRAINWARDEN_COMMIT says, for builds in a copy without .git, as sam build makes one;
#   - else "unknown".
set(commit unknown)
if("$ENV{TRAINWARDEN_COMMIT}" MATCHES "^[0-9a-f]+$")
  string(SUBSTRING "$ENV{TRAINWARDEN_COMMIT}" 0 12 commit)
endif()

# git is to look at SOURCE and nowhere else.
cmake_path(GET SOURCE PARENT_PATH parent)
set(ENV{GIT_CEILING_DIRECTORIES} "${parent}")
foreach(variable GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE)
  unset(ENV{${variable}})
endforeach()
# Another user's checkout is read as well (root builds a user's clone), but not by a program that its settings name.
set(ENV{GIT_CONFIG_COUNT} 2)
set(ENV{GIT_CONFIG_KEY_0} safe.directory)
set(ENV{GIT_CONFIG_VALUE_0} "*")
set(ENV{GIT_CONFIG_KEY_1} core.fsmonitor)
set(ENV{GIT_CONFIG_VALUE_1} false)
find_program(git git)
if(git AND EXISTS "${SOURCE}/.git")  # a folder, or a file in a linked work tree
  execute_process(COMMAND "${git}" -C "${SOURCE}" rev-parse --verify HEAD
                  RESULT_VARIABLE failed OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed AND head MATCHES "^[0-9a-f]+$")
    string(SUBSTRING "${head}" 0 12 commit)
    execute_process(COMMAND "${git}" -C "${SOURCE}" --no-optional-locks diff --quiet HEAD --
                    RESULT_VARIABLE differs OUTPUT_QUIET ERROR_QUIET)
    execute_process(COMMAND "${git}" -C "${SOURCE}" ls-files --others --exclude-standard -- runtime awsapi handlers
                    OUTPUT_VARIABLE unknown_files ERROR_QUIET)
    if(differs OR unknown_files)
      string(APPEND commit "+changes")
    endif()
  endif()
endif()

file(CONFIGURE OUTPUT "${OUT}/build_info.cc" @ONLY CONTENT [[
#include "runtime/base/build_info.h"

trainwarden::BuildInfo trainwarden::build_info() { return {"@VERSION@", "@commit@"}; }
]])
file(CONFIGURE OUTPUT "${OUT}/build_info.json" @ONLY CONTENT [[{"version": "@VERSION@", "commit": "@commit@"}
]])
