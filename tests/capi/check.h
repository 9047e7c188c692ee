// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#ifndef MLP_TESTS_CAPI_CHECK_H
#define MLP_TESTS_CAPI_CHECK_H

/* A failed check prints its line and ends the program with 1. */
#include <mlp/c_api.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: %s failed; the last error is '%s'\n", __FILE__, \
              __LINE__, #condition, mlp_last_error());                        \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

#endif
