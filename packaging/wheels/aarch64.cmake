# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
#
# How CMake builds for aarch64 on another machine: by Debian's g++-aarch64-linux-gnu,
# with the libraries that scripts/build-wheels unpacked.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# Runs the program that writes the table of parameters, with the compiler's C library.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L /usr/aarch64-linux-gnu)

# No library or header of the system is found. Packages of CMake may be anywhere:
# nanobind belongs to the Python that builds.
set(CMAKE_FIND_ROOT_PATH ${CMAKE_CURRENT_LIST_DIR}/../../build-wheels/aarch64/libraries)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
