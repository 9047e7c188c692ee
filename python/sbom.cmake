# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs the list of all software inside the wheel, where PEP 770 expects it, and
# the texts of its licences.
set(components
  spark-mlp=${PROJECT_VERSION}
  eigen=${Eigen3_VERSION},${EIGEN3_INCLUDE_DIR}/Eigen/Core
  nlohmann-json=${nlohmann_json_VERSION},${nlohmann_json_CONFIG})
set(header ${HIGHWAY_INCLUDE_DIR}/hwy/highway.h)
set(numbers "")
foreach(name MAJOR MINOR PATCH)
  file(STRINGS ${header} number REGEX "define HWY_${name} ")
  string(REGEX MATCH "[0-9]+" number "${number}")
  list(APPEND numbers ${number})
endforeach()
list(JOIN numbers "." version)
list(APPEND components highway=${version},${header})
if(MLP_STATIC_RUNTIME)
  list(APPEND components zlib=${ZLIB_VERSION_STRING},${ZLIB_LIBRARY_RELEASE})
  foreach(name libstdc++ libgcc)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${name}.a
      OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE file
      COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND components ${name}=${CMAKE_CXX_COMPILER_VERSION},${file})
  endforeach()
  # The linker adds crti.o and crtn.o to each file.
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/glibc.h
    "#include <features.h>\nversion=__GLIBC__.__GLIBC_MINOR__\n")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -E -P ${CMAKE_CURRENT_BINARY_DIR}/glibc.h
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "version=([0-9 .]+)" text "${text}")
  string(REPLACE " " "" version "${CMAKE_MATCH_1}")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=crti.o
    OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE file COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND components glibc=${version},${file})
endif()
# A shared Gloo stays outside.
if(TARGET mlp_gloo_plugin)
  get_target_property(type gloo TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    list(APPEND components gloo=)
  endif()
endif()
list(APPEND components nanobind=${nanobind_VERSION},${nanobind_ROOT}/..)

set(sbom ${CMAKE_CURRENT_BINARY_DIR}/spark-mlp.cdx.json)
execute_process(COMMAND ${Python_EXECUTABLE}
  ${PROJECT_SOURCE_DIR}/packaging/wheels/write_sbom.py ${sbom} ${components}
  COMMAND_ERROR_IS_FATAL ANY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/packaging/wheels/write_sbom.py
  ${PROJECT_SOURCE_DIR}/packaging/wheels/gloo)
install(FILES ${sbom} DESTINATION ${SKBUILD_METADATA_DIR}/sboms COMPONENT python)

# Their licences ask for their texts in what is distributed.
set(licences ${CMAKE_CURRENT_BINARY_DIR}/licences)
foreach(package libeigen3-dev libhwy-dev nlohmann-json3-dev zlib1g-dev)
  if(EXISTS /usr/share/doc/${package}/copyright)
    configure_file(/usr/share/doc/${package}/copyright ${licences}/${package} COPYONLY)
  endif()
endforeach()
if(EXISTS ${Gloo_ROOT}/LICENSE)
  configure_file(${Gloo_ROOT}/LICENSE ${licences}/gloo COPYONLY)
endif()
file(GLOB nanobind_licence ${nanobind_ROOT}/../../nanobind-*.dist-info/licenses/LICENSE)
if(nanobind_licence)
  configure_file(${nanobind_licence} ${licences}/nanobind COPYONLY)
endif()
# That of robin-map is the first comment of its header.
file(READ ${nanobind_ROOT}/../ext/robin_map/include/tsl/robin_map.h text LIMIT 4096)
string(FIND "${text}" "*/" end)
string(SUBSTRING "${text}" 0 ${end} text)
file(WRITE ${licences}/robin-map "${text}*/\n")
install(DIRECTORY ${licences}/ DESTINATION ${SKBUILD_METADATA_DIR}/licenses
  COMPONENT python)
