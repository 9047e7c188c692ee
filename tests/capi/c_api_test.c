// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/* The C interface from C, as other languages use it.
 * Usage: c_api_test FOLDER MODEL: a folder for files of its own, and the model file
 * tests/corpus/good/named.json. */
#include <math.h>

#include "c_api_check.h"

static int has_error(const char* part) {
  return strstr(mlp_last_error(), part) != NULL;
}

static void trains_and_predicts(void) {
  mlp_model* model = train(NULL);
  double prediction[4];
  double raw[8];
  double probability[8];
  int64_t size = 0;

  CHECK(mlp_model_predict(model, kFeatures, 4, 1, prediction) == MLP_OK);
  CHECK(memcmp(prediction, kLabels, sizeof kLabels) == 0);
  CHECK(mlp_model_predict_raw(model, kFeatures, 4, 2, raw) == MLP_OK);
  CHECK(mlp_model_predict_probability(model, kFeatures, 4, 1, probability) ==
        MLP_OK);
  double all[20];
  CHECK(mlp_model_score(model, kFeatures, 4, 1, all, all + 4, all + 12) ==
        MLP_OK);
  CHECK(memcmp(all, prediction, sizeof prediction) == 0);
  CHECK(memcmp(all + 4, raw, sizeof raw) == 0);
  CHECK(memcmp(all + 12, probability, sizeof probability) == 0);
  CHECK(mlp_model_score(model, kFeatures, 4, 1, NULL, NULL, NULL) == MLP_OK);
  for (int i = 0; i < 4; ++i) {
    const double expected = 1 / (1 + exp(raw[2 * i + 1] - raw[2 * i]));
    CHECK(fabs(probability[2 * i] - expected) < 1e-12);
  }
  CHECK(mlp_model_num_features(model) == 2);
  CHECK(mlp_model_num_outputs(model) == 2);
  CHECK(mlp_model_is_regressor(model) == 0);
  CHECK(mlp_model_num_sizes(model) == 3);
  CHECK(mlp_model_size(model, 1) == 5);
  CHECK(mlp_model_size(model, 3) == 0);
  CHECK(mlp_model_size(model, -1) == 0);
  CHECK(mlp_model_label(model, 0) == NULL);
  CHECK(mlp_model_feature_name(model, 0) == NULL);
  CHECK(mlp_model_weights(model, &size) != NULL && size == 27);
  CHECK(mlp_model_objective_history(model, &size)[0] > 0.6 && size > 10);
  CHECK(strlen(mlp_model_convergence_reason(model)) > 0);
  CHECK(mlp_model_num_warnings(model) == 0);
  mlp_model_free(model);
}

static void files_have_the_whole_model(const char* folder) {
  mlp_model* model = train(NULL);
  mlp_model* loaded = NULL;
  mlp_model* parsed = NULL;
  char path[4096];
  char* text = NULL;
  char* again = NULL;
  snprintf(path, sizeof path, "%s/c_api_test.json", folder);

  CHECK(mlp_model_save(model, path) == MLP_OK);
  CHECK(mlp_model_load(path, &loaded) == MLP_OK);
  CHECK(mlp_model_to_json(model, &text) == MLP_OK);
  CHECK(mlp_model_from_json(text, strlen(text), &parsed) == MLP_OK);
  CHECK(mlp_model_to_json(loaded, &again) == MLP_OK);
  CHECK(strcmp(text, again) == 0);

  mlp_text_free(text);
  mlp_text_free(again);
  mlp_model_free(parsed);
  mlp_model_free(loaded);
  mlp_model_free(model);
}

static void names_are_those_of_the_model_file(const char* path) {
  mlp_model* model = NULL;
  CHECK(mlp_model_load(path, &model) == MLP_OK);
  CHECK(strcmp(mlp_model_feature_name(model, 0), "width") == 0);
  CHECK(strcmp(mlp_model_feature_name(model, 1), "height") == 0);
  CHECK(mlp_model_feature_name(model, 2) == NULL);
  CHECK(mlp_model_feature_name(model, -1) == NULL);
  mlp_model_free(model);
}

static int stop_after_three(void* user, int64_t iteration, double objective) {
  ++*(int*)user;
  return iteration < 3 && objective > 0;
}

static void options_change_the_training(void) {
  mlp_fit_options options;
  const int64_t sizes[2] = {1, 3};
  const double weights[4] = {1, 2, 3, 4};
  int count = 0;
  int64_t size = 0;
  mlp_fit_options_init(&options);
  options.on_iteration = stop_after_three;
  options.user = &count;
  options.partition_sizes = sizes;
  options.num_partitions = 2;
  options.weights = weights;

  mlp_model* model = train(&options);

  CHECK(count == 4);
  CHECK(mlp_model_objective_history(model, &size) != NULL && size == 4);
  CHECK(strcmp(mlp_model_convergence_reason(model), "stoppedByCallback") == 0);
  mlp_model_free(model);
}

static void a_training_that_diverges_has_its_own_status(void) {
  mlp_params* params = make_params();
  mlp_model* model = NULL;
  mlp_fit_options options;
  int64_t size = 0;
  CHECK(mlp_params_set(params, "solver", "sgd") == MLP_OK);
  CHECK(mlp_params_set(params, "activation", "relu") == MLP_OK);
  CHECK(mlp_params_set(params, "stepSize", "1e200") == MLP_OK);

  CHECK(mlp_fit(params, kFeatures, kLabels, 4, 2, NULL, &model) ==
        MLP_DIVERGED);
  CHECK(has_error("must stay finite") && has_error("; try "));
  CHECK(model == NULL && MLP_DIVERGED == 5);

  CHECK(mlp_fit_options_init(&options) == MLP_OK);
  options.keeps_diverged = 1;
  CHECK(mlp_fit(params, kFeatures, kLabels, 4, 2, &options, &model) == MLP_OK);
  const double* const weights = mlp_model_weights(model, &size);
  CHECK(size == 27 && isnan(weights[0]));
  const double* const history = mlp_model_objective_history(model, &size);
  CHECK(isnan(history[size - 1]));
  mlp_model_free(model);
  mlp_params_free(params);
}

static void a_training_that_stops_early_warns(void) {
  mlp_params* params = make_params();
  mlp_model* model = NULL;
  CHECK(mlp_params_set(params, "maxIter", "11") == MLP_OK);

  CHECK(mlp_fit(params, kFeatures, kLabels, 4, 2, NULL, &model) == MLP_OK);

  const int64_t count = mlp_model_num_warnings(model);
  CHECK(count >= 1 && count <= 2);
  CHECK(strcmp(mlp_model_warning_code(model, 0), "stillImproving") == 0);
  CHECK(strstr(mlp_model_warning(model, 0), "maxIter") != NULL);
  CHECK(mlp_model_warning_code(model, count) == NULL);
  CHECK(mlp_model_warning_code(model, -1) == NULL);
  CHECK(mlp_model_warning(model, count) == NULL);
  mlp_model_free(model);
  mlp_params_free(params);
}

static void refuses_bad_arguments(void) {
  mlp_params* params = make_params();
  mlp_model* model = NULL;
  mlp_fit_options options;
  double bad[8] = {0};

  CHECK(mlp_params_set(params, "maxIter", "-1") == MLP_OK);
  CHECK(mlp_fit(params, kFeatures, kLabels, 4, 2, NULL, &model) ==
        MLP_PARAM_ERROR);
  CHECK(has_error("maxIter must be") && model == NULL);
  CHECK(mlp_params_set(params, "maxIter", "x") == MLP_PARAM_ERROR);
  CHECK(mlp_params_set(params, "noSuch", "1") == MLP_PARAM_ERROR);
  CHECK(has_error("noSuch"));
  CHECK(mlp_params_set(params, "maxIter", "5") == MLP_OK);
  CHECK(mlp_fit(params, kFeatures, kLabels, 4, 3, NULL, &model) ==
        MLP_DATA_ERROR);
  CHECK(mlp_fit(params, NULL, kLabels, 4, 2, NULL, &model) == MLP_PARAM_ERROR);
  CHECK(has_error("features must not be NULL"));
  CHECK(mlp_fit(params, kFeatures, kLabels, -4, 2, NULL, &model) ==
        MLP_PARAM_ERROR);
  CHECK(mlp_fit(params, kFeatures, kFeatures + 4, 4, 2, NULL, &model) ==
        MLP_OK);
  mlp_model_free(model);
  bad[3] = NAN;
  CHECK(mlp_fit(params, bad, kLabels, 4, 2, NULL, &model) == MLP_DATA_ERROR);
  memset(&options, 0, sizeof options);
  CHECK(mlp_fit(params, kFeatures, kLabels, 4, 2, &options, &model) ==
        MLP_PARAM_ERROR);
  CHECK(mlp_model_load("/no/such/file", &model) == MLP_MODEL_ERROR);
  CHECK(has_error("/no/such/file") && model == NULL);
  CHECK(mlp_model_load(NULL, &model) == MLP_PARAM_ERROR);
  CHECK(mlp_model_from_json("{}", 2, &model) == MLP_MODEL_ERROR);
  mlp_params_free(params);
}

static void refuses_what_a_model_cannot_do(void) {
  mlp_params* params = make_params();
  mlp_model* model = NULL;
  double numbers[4];
  CHECK(mlp_params_set(params, "layers", "2,1") == MLP_OK);
  CHECK(mlp_params_set(params, "task", "regression") == MLP_OK);
  CHECK(mlp_fit(params, kFeatures, kLabels, 4, 2, NULL, &model) == MLP_OK);

  CHECK(mlp_model_is_regressor(model) == 1);
  CHECK(mlp_model_predict(model, kFeatures, 4, 1, numbers) == MLP_OK);
  CHECK(fabs(numbers[0] - 0.5) < 1e-3);
  CHECK(mlp_model_predict_probability(model, kFeatures, 4, 1, numbers) ==
        MLP_PARAM_ERROR);
  CHECK(mlp_model_score(model, kFeatures, 4, 1, NULL, NULL, numbers) ==
        MLP_PARAM_ERROR);
  CHECK(mlp_model_predict(model, kFeatures, 4, 0, numbers) == MLP_PARAM_ERROR);
  CHECK(mlp_model_predict(model, NULL, 4, 1, numbers) == MLP_PARAM_ERROR);
  CHECK(mlp_model_predict(model, kFeatures, 4, 1, NULL) == MLP_PARAM_ERROR);
  CHECK(mlp_model_predict(model, kFeatures, INT64_MAX, 1, numbers) ==
        MLP_PARAM_ERROR);
  CHECK(mlp_model_predict(model, NULL, 0, 1, NULL) == MLP_OK);
  mlp_model_free(model);
  mlp_params_free(params);
}

int main(int argc, char** argv) {
  CHECK(argc == 3);
  CHECK(strcmp(mlp_last_error(), "") == 0);
  CHECK(strchr(mlp_version(), '.') != NULL);
  trains_and_predicts();
  files_have_the_whole_model(argv[1]);
  names_are_those_of_the_model_file(argv[2]);
  options_change_the_training();
  a_training_that_diverges_has_its_own_status();
  a_training_that_stops_early_warns();
  refuses_bad_arguments();
  refuses_what_a_model_cannot_do();
  mlp_model_free(NULL);
  mlp_params_free(NULL);
  mlp_text_free(NULL);
  puts("the C interface works");
  return 0;
}
