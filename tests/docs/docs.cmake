# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0

# One test for each page: its commands run, and print what the page shows.
file(GLOB pages RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
  ${PROJECT_SOURCE_DIR}/docs/*.md)
# Without what mlp::compiled holds, which takes four times as long.
set(compile "${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -DMLP_COMPILED")
string(APPEND compile " -I${PROJECT_SOURCE_DIR}")
string(APPEND compile
  " -I$<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>")
foreach(page ${pages})
  add_test(NAME docs/${page} COMMAND Python3::Interpreter
    ${CMAKE_CURRENT_LIST_DIR}/run_blocks.py ${PROJECT_SOURCE_DIR}/${page}
    ${PROJECT_BINARY_DIR} --compile ${compile})
  set_tests_properties(docs/${page} PROPERTIES
    LABELS "docs;style" TIMEOUT 300)
endforeach()

# A scorer that was written from the page of the model file alone.
add_test(NAME docs/page_scorer COMMAND Python3::Interpreter
  ${CMAKE_CURRENT_LIST_DIR}/page_scorer_test.py $<TARGET_FILE:mlp_program>)
set_tests_properties(docs/page_scorer PROPERTIES LABELS docs)
