# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
#
# Names what the Python package needs and this system lacks, before anything is
# compiled.
set(missing "")
# As the rest of the build finds them: what is found first is cached.
set(ZLIB_USE_STATIC_LIBS ${MLP_STATIC_RUNTIME})
find_package(Eigen3 3.4 QUIET NO_MODULE)
find_package(nlohmann_json 3.10 QUIET)
find_package(ZLIB QUIET)
find_path(HIGHWAY_INCLUDE_DIR hwy/highway.h)
set(Highway_FOUND ${HIGHWAY_INCLUDE_DIR})
if(MLP_PYTHON_HEADERS)
  find_package(Python 3.9 QUIET COMPONENTS Interpreter)
else()
  find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
endif()
foreach(package Eigen3:libeigen3-dev nlohmann_json:nlohmann-json3-dev
    ZLIB:zlib1g-dev Highway:libhwy-dev Python:python3-dev)
  string(REPLACE ":" ";" package ${package})
  list(GET package 0 name)
  list(GET package 1 debian_name)
  if(NOT ${name}_FOUND)
    list(APPEND missing ${debian_name})
  endif()
endforeach()
if(missing)
  list(JOIN missing " " missing)
  message(FATAL_ERROR "the Python package needs ${missing}; run \
scripts/install-deps build, which installs what is missing on Debian")
endif()
