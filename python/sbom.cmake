# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs the list of all software inside the wheel, where PEP 770 expects it.
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
