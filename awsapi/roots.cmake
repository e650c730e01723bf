# trainwarden_embed_roots(<target>) lets <target> include "awsapi/roots.inc": one string literal, the PEM of the roots that
# AWS's endpoints chain to (Amazon Root CA 1-4, Starfield Services Root CA G2), from the ca-certificates package. Five
# roots load in 0.1-0.5 ms; the whole bundle takes 2.7 ms, on every cold start.
set(TRAINWARDEN_ROOTS_DIR /usr/share/ca-certificates/mozilla CACHE PATH "folder of the ca-certificates package's .crt files")

function(trainwarden_embed_roots target)
  set(literal "")
  set(files "")
  foreach(root Amazon_Root_CA_1 Amazon_Root_CA_2 Amazon_Root_CA_3 Amazon_Root_CA_4
          Starfield_Services_Root_Certificate_Authority_-_G2)
    set(file ${TRAINWARDEN_ROOTS_DIR}/${root}.crt)
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "${file} is missing: install ca-certificates, or set TRAINWARDEN_ROOTS_DIR")
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} pem)
    if(NOT pem MATCHES "^-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]+-----END CERTIFICATE-----\n$")
      message(FATAL_ERROR "${file}: expected one PEM certificate")
    endif()
    string(REPLACE "\n" "\\n\"\n\"" pem "${pem}")
    string(APPEND literal "\"${pem}\"\n")
    string(APPEND files "${file}\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/awsapi/roots.inc CONTENT "${literal}" @ONLY)
  # For the bill of materials.
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/awsapi/roots.list CONTENT "${files}" @ONLY)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()
