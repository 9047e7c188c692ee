// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#ifndef MLP_TESTS_CAPI_C_API_CHECK_H
#define MLP_TESTS_CAPI_C_API_CHECK_H

/* What the tests of the C interface share. */
#include <mlp/c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* Checks the status of a call and the whole sentence of its error. */
#define REFUSED(call, status, sentence)                                       \
  do {                                                                        \
    const int got_ = (int)(call);                                             \
    if (got_ != (int)(status) || strcmp(mlp_last_error(), (sentence)) != 0) { \
      fprintf(stderr,                                                         \
              "%s:%d: %s returned %d instead of %d, with\n  %s\n"             \
              "instead of\n  %s\n",                                           \
              __FILE__, __LINE__, #call, got_, (int)(status),                 \
              mlp_last_error(), (sentence));                                  \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

static const double kFeatures[8] = {0, 0, 0, 1, 1, 0, 1, 1};
static const double kLabels[4] = {0, 1, 1, 0};

static mlp_params* make_params(void) {
  mlp_params* params = NULL;
  CHECK(mlp_params_new(&params) == MLP_OK);
  CHECK(mlp_params_set(params, "layers", "2,5,2") == MLP_OK);
  CHECK(mlp_params_set(params, "seed", "123") == MLP_OK);
  CHECK(mlp_params_set(params, "blockSize", "1") == MLP_OK);
  return params;
}

static mlp_model* train(const mlp_fit_options* options) {
  mlp_params* params = make_params();
  mlp_model* model = NULL;
  CHECK(mlp_fit(params, kFeatures, kLabels, 4, 2, options, &model) == MLP_OK);
  mlp_params_free(params);
  return model;
}

#endif
