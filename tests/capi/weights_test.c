// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/* Models from weights, and the weights of a model for Spark. */
#include <math.h>

#include "c_api_check.h"

enum { kSize = 27 }; /* of layers 2, 5, 2 */

static void weights_make_the_model_that_they_came_from(void) {
  mlp_params* params = make_params();
  mlp_model* trained = train(NULL);
  mlp_model* made = NULL;
  double weights[kSize];
  double expected[8];
  double got[8];
  int64_t size = -1;

  CHECK(mlp_model_num_spark_weights(trained) == kSize);
  CHECK(mlp_model_spark_weights(trained, kSize, weights) == MLP_OK);
  CHECK(memcmp(weights, mlp_model_weights(trained, &size), sizeof weights) ==
        0);
  CHECK(mlp_model_from_weights(params, weights, kSize, &made) == MLP_OK);

  CHECK(mlp_model_predict_raw(trained, kFeatures, 4, 1, expected) == MLP_OK);
  CHECK(mlp_model_predict_raw(made, kFeatures, 4, 1, got) == MLP_OK);
  CHECK(memcmp(got, expected, sizeof got) == 0);
  CHECK(mlp_model_objective_history(made, &size) != NULL || size == 0);
  CHECK(size == 0 && mlp_model_num_warnings(made) == 0);
  mlp_model_thresholds(made, &size);
  CHECK(size == 0);
  mlp_model_free(made);
  mlp_model_free(trained);
  mlp_params_free(params);
}

static void thresholds_are_those_of_the_hyper_parameters(void) {
  const double weights[kSize] = {0};
  mlp_params* params = make_params();
  mlp_model* model = NULL;
  int64_t size = 0;
  CHECK(mlp_params_set(params, "thresholds", "0.75,0.25") == MLP_OK);

  CHECK(mlp_model_from_weights(params, weights, kSize, &model) == MLP_OK);

  const double* const thresholds = mlp_model_thresholds(model, &size);
  CHECK(size == 2 && thresholds[0] == 0.75 && thresholds[1] == 0.25);
  mlp_model_free(model);
  mlp_params_free(params);
}

static void weights_for_spark_have_the_scaler(void) {
  const double row[2] = {0, 0};
  mlp_params* params = make_params();
  mlp_model* model = NULL;
  mlp_model* plain = NULL;
  mlp_fit_options options;
  double weights[kSize];
  double expected[2];
  double got[2];
  CHECK(mlp_fit_options_init(&options) == MLP_OK);
  options.is_standardizing = 1;
  CHECK(mlp_fit(params, kFeatures, kLabels, 4, 2, &options, &model) == MLP_OK);

  CHECK(mlp_model_spark_weights(model, kSize, weights) == MLP_OK);
  CHECK(mlp_model_from_weights(params, weights, kSize, &plain) == MLP_OK);

  CHECK(mlp_model_predict_raw(model, row, 1, 1, expected) == MLP_OK);
  CHECK(mlp_model_predict_raw(plain, row, 1, 1, got) == MLP_OK);
  CHECK(fabs(got[0] - expected[0]) <= 1e-9 * fabs(expected[0]));
  mlp_model_free(plain);
  mlp_model_free(model);
  mlp_params_free(params);
}

static void refuses_what_spark_cannot_express(void) {
  const char* const sentence =
      "model: Spark's MultilayerPerceptronClassificationModel cannot express "
      "this model: its hidden layers have the activation relu; train with "
      "activation sigmoid, or score the model file in Spark with mlp.spark or "
      "the jar";
  double weights[kSize] = {0};
  mlp_params* params = make_params();
  mlp_model* model = NULL;
  CHECK(mlp_params_set(params, "activation", "relu") == MLP_OK);
  CHECK(mlp_model_from_weights(params, weights, kSize, &model) == MLP_OK);

  REFUSED(mlp_model_num_spark_weights(model), -1, sentence);
  REFUSED(mlp_model_spark_weights(model, kSize, weights), MLP_MODEL_ERROR,
          sentence);
  mlp_model_free(model);
  mlp_params_free(params);
}

static void refuses_bad_weights(void) {
  double weights[kSize] = {0};
  mlp_params* params = make_params();
  mlp_model* model = train(NULL);

  REFUSED(mlp_model_spark_weights(model, 3, weights), MLP_PARAM_ERROR,
          "size must be 27, the number of weights; got 3");
  REFUSED(mlp_model_spark_weights(model, kSize, NULL), MLP_PARAM_ERROR,
          "weights must not be NULL");
  mlp_model_free(model);
  REFUSED(mlp_model_from_weights(params, weights, 3, &model), MLP_DATA_ERROR,
          "weights must be 27 numbers for layers [2, 5, 2]; got 3");
  CHECK(model == NULL);
  REFUSED(mlp_model_from_weights(params, weights, -1, &model), MLP_PARAM_ERROR,
          "size must be the number of weights; got -1");
  /* No more than the array has is read. */
  CHECK(mlp_model_from_weights(params, weights, INT64_MAX / 8, &model) ==
        MLP_DATA_ERROR);
  weights[4] = NAN;
  CHECK(mlp_model_from_weights(params, weights, kSize, &model) ==
        MLP_MODEL_ERROR);
  CHECK(strstr(mlp_last_error(), "model: $.weights.data[4]") != NULL);
  mlp_params_free(params);
}

static void refuses_null(void) {
  double weights[kSize] = {0};
  mlp_params* params = make_params();
  mlp_model* model = NULL;

  REFUSED(mlp_model_num_spark_weights(NULL), -1, "model must not be NULL");
  REFUSED(mlp_model_spark_weights(NULL, kSize, weights), MLP_PARAM_ERROR,
          "model must not be NULL");
  REFUSED(mlp_model_from_weights(params, weights, kSize, NULL), MLP_PARAM_ERROR,
          "model must not be NULL");
  REFUSED(mlp_model_from_weights(NULL, weights, kSize, &model), MLP_PARAM_ERROR,
          "params must not be NULL");
  REFUSED(mlp_model_from_weights(params, NULL, kSize, &model), MLP_PARAM_ERROR,
          "weights must not be NULL");
  mlp_params_free(params);
}

int main(void) {
  weights_make_the_model_that_they_came_from();
  thresholds_are_those_of_the_hyper_parameters();
  weights_for_spark_have_the_scaler();
  refuses_what_spark_cannot_express();
  refuses_bad_weights();
  refuses_null();
  puts("the C interface makes models of weights");
  return 0;
}
