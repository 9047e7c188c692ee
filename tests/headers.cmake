# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0

# Compiles each public header alone, to show that it includes what it uses. Eigen
# and nlohmann/json take most of that time, so a header that includes one of them,
# itself or by other headers of ours, gets it precompiled. That hides nothing: the
# header would have read it anyway, and each of those other headers is compiled
# alone as well. So are the definitions of mlp::compiled (*.ipp), which the headers
# therefore leave out; tests/consumers compiles them with the headers.

# Sets <result> to what is precompiled for a header: plain, eigen or json.
function(mlp_find_header_kind header result)
  get_property(kind GLOBAL PROPERTY mlp_header_kind_${header})
  if(NOT kind)
    set(kind plain)
    get_filename_component(folder ${header} DIRECTORY)
    file(STRINGS ${header} includes REGEX "^ *# *include")
    foreach(include IN LISTS includes)
      set(found plain)
      if(include MATCHES "<nlohmann/json.hpp>")
        set(found json)
      elseif(include MATCHES "<Eigen/")
        set(found eigen)
      elseif(include MATCHES "\"(.+[.]hpp)\"")
        get_filename_component(file ${folder}/${CMAKE_MATCH_1} ABSOLUTE)
        mlp_find_header_kind(${file} found)
      endif()
      if(found STREQUAL json OR kind STREQUAL plain)
        set(kind ${found})
      endif()
    endforeach()
    set_property(GLOBAL PROPERTY mlp_header_kind_${header} ${kind})
  endif()
  set(${result} ${kind} PARENT_SCOPE)
endfunction()

# Lists the targets of the library that have headers, and these headers.
set(targets "")
set(headers "")
foreach(folder core activations optim datasets distributed mlp cpu openblas)
  if(NOT IS_DIRECTORY ${PROJECT_BINARY_DIR}/parts/${folder})
    continue()
  endif()
  get_property(names DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
    PROPERTY BUILDSYSTEM_TARGETS)
  foreach(name IN LISTS names)
    get_target_property(files ${name} HEADER_SET)
    if(files)
      list(APPEND targets ${name})
      list(APPEND headers ${files})
    endif()
  endforeach()
endforeach()

foreach(header IN LISTS headers)
  mlp_find_header_kind(${header} kind)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${header})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n" @ONLY)
  list(APPEND ${kind}_sources ${source})
endforeach()
foreach(kind plain eigen json)
  if(${kind}_sources)
    add_library(mlp_${kind}_headers OBJECT ${${kind}_sources})
    target_link_libraries(mlp_${kind}_headers PRIVATE ${targets})
    target_compile_definitions(mlp_${kind}_headers PRIVATE MLP_COMPILED)
    target_compile_options(mlp_${kind}_headers PRIVATE -O0)
  endif()
endforeach()
target_precompile_headers(mlp_eigen_headers PRIVATE <Eigen/Core>)
if(TARGET mlp_json_headers)
  target_precompile_headers(mlp_json_headers PRIVATE
    <Eigen/Core> <nlohmann/json.hpp>)
endif()
