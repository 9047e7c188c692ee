// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/* The features of a model by their names, from C.
 * Usage: columns_test MODEL, of the features width and height. */
#include <mlp/c_api.h>
#include <stddef.h>
#include <string.h>

#include "check.h"

static int last_error_is(const char* sentence) {
  return strcmp(mlp_last_error(), sentence) == 0;
}

static void finds_features_by_name(const mlp_model* model) {
  const char* const names[3] = {"height", "id", "width"};
  int64_t columns[2] = {-1, -1};

  CHECK(mlp_model_find_columns(model, names, 3, columns) == MLP_OK);
  CHECK(columns[0] == 2 && columns[1] == 0);
  CHECK(strcmp(mlp_model_feature_name(model, 1), "height") == 0);
  CHECK(mlp_model_feature_name(model, 2) == NULL);
  CHECK(mlp_model_feature_name(model, -1) == NULL);
}

static void refuses_other_tables(const mlp_model* model) {
  const char* const lacking[2] = {"width", "depth"};
  const char* const twice[3] = {"width", "height", "width"};
  const char* const null[1] = {NULL};
  int64_t columns[2];

  CHECK(mlp_model_find_columns(model, lacking, 2, columns) == MLP_DATA_ERROR);
  CHECK(last_error_is(
      "there is no column 'height'; expected the features by their names, got "
      "'width', 'depth'"));
  CHECK(mlp_model_find_columns(model, twice, 3, columns) == MLP_DATA_ERROR);
  CHECK(last_error_is(
      "more than one column is named 'width'; expected each feature once"));
  CHECK(mlp_model_find_columns(model, null, 1, columns) == MLP_PARAM_ERROR);
  CHECK(last_error_is("names must not be NULL"));
  CHECK(mlp_model_find_columns(model, lacking, -1, columns) == MLP_PARAM_ERROR);
  CHECK(last_error_is("num_names must be >= 0; got -1"));
  CHECK(mlp_model_find_columns(NULL, lacking, 2, columns) == MLP_PARAM_ERROR);
  CHECK(mlp_model_find_columns(model, lacking, 2, NULL) == MLP_PARAM_ERROR);
  CHECK(mlp_model_feature_name(NULL, 0) == NULL);
}

static void refuses_a_model_without_names(void) {
  const double features[4] = {0, 1, 2, 3};
  const double labels[4] = {0, 1, 0, 1};
  const char* const names[1] = {"a"};
  int64_t columns[1];
  mlp_params* params = NULL;
  mlp_model* model = NULL;
  CHECK(mlp_params_new(&params) == MLP_OK);
  CHECK(mlp_params_set(params, "layers", "1,2") == MLP_OK);
  CHECK(mlp_fit(params, features, labels, 4, 1, NULL, &model) == MLP_OK);

  CHECK(mlp_model_find_columns(model, names, 1, columns) == MLP_PARAM_ERROR);
  CHECK(
      last_error_is("model must have names of its features; got a model "
                    "without them, which takes columns in their order"));
  CHECK(mlp_model_feature_name(model, 0) == NULL);
  mlp_model_free(model);
  mlp_params_free(params);
}

int main(int argc, char** argv) {
  mlp_model* model = NULL;
  CHECK(argc == 2);
  CHECK(mlp_model_load(argv[1], &model) == MLP_OK);
  finds_features_by_name(model);
  refuses_other_tables(model);
  refuses_a_model_without_names();
  mlp_model_free(model);
  return 0;
}
