// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/* What the C interface refuses: every function with each argument that is NULL or wrong
 * gives a status and a sentence, and keeps the process alive. */
#include <math.h>
#include <stddef.h>

#include "c_api_check.h"

/* An array of doubles that lies one byte off. */
static const double* off_by_one(const void* memory) {
  return (const double*)(const void*)((const char*)memory + 1);
}

static void refuses_null_models(void) {
  const char* const sentence = "model must not be NULL";
  int64_t size = 7;
  char* text = NULL;
  double numbers[8];

  REFUSED(mlp_model_num_features(NULL), -1, sentence);
  REFUSED(mlp_model_num_outputs(NULL), -1, sentence);
  REFUSED(mlp_model_is_regressor(NULL), -1, sentence);
  REFUSED(mlp_model_num_sizes(NULL), -1, sentence);
  REFUSED(mlp_model_size(NULL, 0), -1, sentence);
  REFUSED(mlp_model_num_warnings(NULL), -1, sentence);
  REFUSED(mlp_model_warning_code(NULL, 0) != NULL, 0, sentence);
  REFUSED(mlp_model_warning(NULL, 0) != NULL, 0, sentence);
  REFUSED(mlp_model_label(NULL, 0) != NULL, 0, sentence);
  REFUSED(mlp_model_feature_name(NULL, 0) != NULL, 0, sentence);
  REFUSED(mlp_model_convergence_reason(NULL) != NULL, 0, sentence);
  REFUSED(mlp_model_weights(NULL, &size) != NULL, 0, sentence);
  CHECK(size == 0);
  size = 7;
  REFUSED(mlp_model_objective_history(NULL, &size) != NULL, 0, sentence);
  CHECK(size == 0);
  size = 7;
  REFUSED(mlp_model_thresholds(NULL, &size) != NULL, 0, sentence);
  CHECK(size == 0);
  REFUSED(mlp_model_to_json(NULL, &text), MLP_PARAM_ERROR, sentence);
  REFUSED(mlp_model_save(NULL, "/tmp/x"), MLP_PARAM_ERROR, sentence);
  REFUSED(mlp_model_predict(NULL, kFeatures, 4, 1, numbers), MLP_PARAM_ERROR,
          sentence);
  REFUSED(mlp_model_predict_raw(NULL, kFeatures, 4, 1, numbers),
          MLP_PARAM_ERROR, sentence);
  REFUSED(mlp_model_predict_probability(NULL, kFeatures, 4, 1, numbers),
          MLP_PARAM_ERROR, sentence);
  REFUSED(mlp_model_score(NULL, kFeatures, 4, 1, numbers, NULL, NULL),
          MLP_PARAM_ERROR, sentence);
}

static void refuses_null_outputs(void) {
  mlp_params* params = make_params();
  mlp_model* model = train(NULL);

  REFUSED(mlp_params_new(NULL), MLP_PARAM_ERROR, "params must not be NULL");
  REFUSED(mlp_model_load("m.json", NULL), MLP_PARAM_ERROR,
          "model must not be NULL");
  REFUSED(mlp_model_from_json("{}", 2, NULL), MLP_PARAM_ERROR,
          "model must not be NULL");
  REFUSED(mlp_fit(params, kFeatures, kLabels, 4, 2, NULL, NULL),
          MLP_PARAM_ERROR, "model must not be NULL");
  REFUSED(mlp_model_to_json(model, NULL), MLP_PARAM_ERROR,
          "text must not be NULL");
  REFUSED(mlp_model_weights(model, NULL) != NULL, 0, "size must not be NULL");
  REFUSED(mlp_model_objective_history(model, NULL) != NULL, 0,
          "size must not be NULL");
  REFUSED(mlp_model_thresholds(model, NULL) != NULL, 0,
          "size must not be NULL");
  REFUSED(mlp_fit_options_init(NULL), MLP_PARAM_ERROR,
          "options must not be NULL");
  mlp_model_free(model);
  mlp_params_free(params);
}

static void refuses_null_inputs(void) {
  mlp_params* params = make_params();
  mlp_model* trained = train(NULL);
  mlp_model* model = trained;

  REFUSED(mlp_model_load(NULL, &model), MLP_PARAM_ERROR,
          "path must not be NULL");
  CHECK(model == NULL);
  model = trained;
  REFUSED(mlp_model_from_json(NULL, 2, &model), MLP_PARAM_ERROR,
          "text must not be NULL");
  CHECK(model == NULL);
  REFUSED(mlp_model_save(trained, NULL), MLP_PARAM_ERROR,
          "path must not be NULL");
  REFUSED(mlp_params_set(NULL, "seed", "1"), MLP_PARAM_ERROR,
          "params must not be NULL");
  REFUSED(mlp_params_set(params, NULL, "1"), MLP_PARAM_ERROR,
          "name must not be NULL");
  REFUSED(mlp_params_set(params, "seed", NULL), MLP_PARAM_ERROR,
          "value must not be NULL");
  model = trained;
  REFUSED(mlp_fit(NULL, kFeatures, kLabels, 4, 2, NULL, &model),
          MLP_PARAM_ERROR, "params must not be NULL");
  CHECK(model == NULL);
  REFUSED(mlp_fit(params, NULL, kLabels, 4, 2, NULL, &model), MLP_PARAM_ERROR,
          "features must not be NULL");
  REFUSED(mlp_fit(params, kFeatures, NULL, 4, 2, NULL, &model), MLP_PARAM_ERROR,
          "labels must not be NULL");
  mlp_model_free(trained);
  mlp_params_free(params);
}

static void refuses_bad_rows(void) {
  mlp_params* params = make_params();
  mlp_model* model = NULL;

  REFUSED(mlp_fit(params, kFeatures, kLabels, -1, 2, NULL, &model),
          MLP_PARAM_ERROR, "num_rows must be >= 0; got -1");
  REFUSED(mlp_fit(params, kFeatures, kLabels, 4, 0, NULL, &model),
          MLP_PARAM_ERROR, "num_features must be >= 1; got 0");
  REFUSED(mlp_fit(params, kFeatures, kLabels, 4, INT64_MIN, NULL, &model),
          MLP_PARAM_ERROR,
          "num_features must be >= 1; got -9223372036854775808");
  REFUSED(mlp_fit(params, kFeatures, kLabels, INT64_MAX, 2, NULL, &model),
          MLP_PARAM_ERROR,
          "num_rows must be at most 576460752303423487 for rows of 2 features; "
          "got 9223372036854775807");
  CHECK(mlp_fit(params, kFeatures, kLabels, 0, 2, NULL, &model) ==
        MLP_DATA_ERROR);
  CHECK(model == NULL);
  mlp_params_free(params);
}

static void refuses_bad_arrays_of_a_fit(void) {
  mlp_params* params = make_params();
  mlp_model* model = NULL;
  double bad[9] = {0, 0, 0, 1, 1, 0, 1, 1, 1};

  REFUSED(mlp_fit(params, off_by_one(bad), kLabels, 4, 2, NULL, &model),
          MLP_PARAM_ERROR,
          "features must be aligned to 8 bytes; got an address that is 1 bytes "
          "off; copy it to an array");
  REFUSED(mlp_fit(params, kFeatures, off_by_one(bad), 4, 2, NULL, &model),
          MLP_PARAM_ERROR,
          "labels must be aligned to 8 bytes; got an address that is 1 bytes "
          "off; copy it to an array");
  for (int i = 0; i < 3; ++i) {
    const double values[3] = {NAN, INFINITY, -INFINITY};
    bad[3] = values[i];
    CHECK(mlp_fit(params, bad, kLabels, 4, 2, NULL, &model) == MLP_DATA_ERROR);
    CHECK(strstr(mlp_last_error(), "features must be finite") != NULL);
    CHECK(mlp_fit(params, kFeatures, bad, 4, 2, NULL, &model) ==
          MLP_DATA_ERROR);
    CHECK(strstr(mlp_last_error(), "label") != NULL && model == NULL);
  }
  mlp_params_free(params);
}

/* Fits with these options. */
static mlp_status fit(const mlp_fit_options* options) {
  mlp_params* params = make_params();
  mlp_model* model = NULL;
  const mlp_status status =
      mlp_fit(params, kFeatures, kLabels, 4, 2, options, &model);
  CHECK((status == MLP_OK) == (model != NULL));
  mlp_model_free(model);
  mlp_params_free(params);
  return status;
}

static void refuses_bad_partitions(void) {
  mlp_fit_options options;
  const int64_t sizes[3] = {1, 3, -1};
  CHECK(mlp_fit_options_init(&options) == MLP_OK);

  options.num_partitions = -1;
  REFUSED(fit(&options), MLP_PARAM_ERROR,
          "num_partitions must be the number of partition_sizes, from 1 to "
          "1048576; or 0, with partition_sizes NULL; got -1");
  options.partition_sizes = sizes;
  CHECK(fit(&options) == MLP_PARAM_ERROR);
  options.num_partitions = 0;
  REFUSED(fit(&options), MLP_PARAM_ERROR,
          "num_partitions must be the number of partition_sizes, from 1 to "
          "1048576; or 0, with partition_sizes NULL; got 0");
  options.num_partitions = INT64_MAX;
  REFUSED(fit(&options), MLP_PARAM_ERROR,
          "num_partitions must be the number of partition_sizes, from 1 to "
          "1048576; or 0, with partition_sizes NULL; got 9223372036854775807");
  options.num_partitions = 3;
  CHECK(fit(&options) != MLP_OK);
  options.num_partitions = 1;
  CHECK(fit(&options) != MLP_OK);
  options.partition_sizes = NULL;
  REFUSED(fit(&options), MLP_PARAM_ERROR, "partition_sizes must not be NULL");
}

static void refuses_bad_weights(void) {
  const double bad[7] = {-1, -5e-324, NAN, INFINITY, -INFINITY, -NAN, 1e308};
  mlp_fit_options options;
  double weights[4] = {1, 1, 1, 1};
  CHECK(mlp_fit_options_init(&options) == MLP_OK);
  options.weights = weights;

  for (int i = 0; i < 7; ++i) {
    weights[2] = weights[3] = bad[i];
    CHECK(fit(&options) == MLP_DATA_ERROR);
    CHECK(strstr(mlp_last_error(), "weight") != NULL);
  }
  weights[3] = 1;
  weights[2] = -2;
  REFUSED(fit(&options), MLP_DATA_ERROR,
          "weights must be finite and >= 0; instance 2 has weight -2");
  memset(weights, 0, sizeof weights);
  REFUSED(fit(&options), MLP_DATA_ERROR,
          "instance weights times class weights must have a finite sum > 0; "
          "they are "
          "all zero");
  weights[1] = 1;
  CHECK(fit(&options) == MLP_OK);
  options.weights = off_by_one(&options);
  REFUSED(fit(&options), MLP_PARAM_ERROR,
          "weights must be aligned to 8 bytes; got an address that is 1 bytes "
          "off; copy it to an array");
}

static void refuses_bad_threads(void) {
  mlp_model* model = train(NULL);
  mlp_fit_options options;
  double numbers[4];
  const int bad[3] = {0, -5, INT32_MAX};
  const char* const sentences[3] = {
      "num_threads must be from 1 to 1024; got 0",
      "num_threads must be from 1 to 1024; got -5",
      "num_threads must be from 1 to 1024; got 2147483647"};

  for (int i = 0; i < 3; ++i) {
    CHECK(mlp_fit_options_init(&options) == MLP_OK);
    options.num_threads = bad[i];
    REFUSED(fit(&options), MLP_PARAM_ERROR, sentences[i]);
    REFUSED(mlp_model_predict(model, kFeatures, 4, bad[i], numbers),
            MLP_PARAM_ERROR, sentences[i]);
    REFUSED(mlp_model_predict_raw(model, kFeatures, 4, bad[i], numbers),
            MLP_PARAM_ERROR, sentences[i]);
    REFUSED(mlp_model_predict_probability(model, kFeatures, 4, bad[i], numbers),
            MLP_PARAM_ERROR, sentences[i]);
    REFUSED(mlp_model_score(model, kFeatures, 4, bad[i], numbers, NULL, NULL),
            MLP_PARAM_ERROR, sentences[i]);
  }
  mlp_model_free(model);
}

static void refuses_bad_arrays_of_a_score(void) {
  const char* const off =
      " must be aligned to 8 bytes; got an address that is 1 bytes off; copy "
      "it "
      "to an array";
  mlp_model* model = train(NULL);
  double numbers[10] = {0};
  double* const bad = (double*)off_by_one(numbers);
  char sentence[200];
  typedef mlp_status (*Score)(const mlp_model*, const double*, int64_t, int,
                              double*);
  const Score scores[3] = {mlp_model_predict, mlp_model_predict_raw,
                           mlp_model_predict_probability};
  const char* const names[3] = {"prediction", "raw", "probability"};

  for (int i = 0; i < 3; ++i) {
    REFUSED(scores[i](model, NULL, 4, 1, numbers), MLP_PARAM_ERROR,
            "features must not be NULL");
    REFUSED(scores[i](model, kFeatures, -1, 1, numbers), MLP_PARAM_ERROR,
            "num_rows must be >= 0; got -1");
    snprintf(sentence, sizeof sentence, "%s must not be NULL", names[i]);
    REFUSED(scores[i](model, kFeatures, 4, 1, NULL), MLP_PARAM_ERROR, sentence);
    snprintf(sentence, sizeof sentence, "%s%s", names[i], off);
    REFUSED(scores[i](model, kFeatures, 4, 1, bad), MLP_PARAM_ERROR, sentence);
    REFUSED(mlp_model_score(model, kFeatures, 4, 1, i == 0 ? bad : NULL,
                            i == 1 ? bad : NULL, i == 2 ? bad : NULL),
            MLP_PARAM_ERROR, sentence);
    CHECK(scores[i](model, NULL, 0, 1, NULL) == MLP_OK);
  }
  REFUSED(mlp_model_score(model, NULL, 4, 1, numbers, NULL, NULL),
          MLP_PARAM_ERROR, "features must not be NULL");
  REFUSED(mlp_model_score(model, kFeatures, -1, 1, numbers, NULL, NULL),
          MLP_PARAM_ERROR, "num_rows must be >= 0; got -1");
  mlp_model_free(model);
}

static void refuses_texts_longer_than_memory(void) {
  mlp_model* model = NULL;
  REFUSED(mlp_model_from_json("{}", SIZE_MAX, &model), MLP_PARAM_ERROR,
          "size must be the number of bytes of the text; got "
          "18446744073709551615");
  CHECK(mlp_model_from_json("", 0, &model) == MLP_MODEL_ERROR);
}

/* A struct of a later version, whose member is not known here. */
typedef struct later_options {
  mlp_fit_options known;
  int64_t unknown;
} later_options;

static void refuses_options_of_no_version(void) {
  const size_t sizes[5] = {0, 8, sizeof(mlp_fit_options) - 1, 4104, (size_t)-8};
  mlp_fit_options options;
  char sentence[200];
  for (int i = 0; i < 5; ++i) {
    snprintf(sentence, sizeof sentence,
             "struct_size must be sizeof(mlp_fit_options) of the caller; got "
             "%zu; call mlp_fit_options_init() first",
             sizes[i]);
    CHECK(mlp_fit_options_init(&options) == MLP_OK);
    options.struct_size = sizes[i];
    REFUSED(fit(&options), MLP_PARAM_ERROR, sentence);
    REFUSED(mlp_fit_options_init_sized(&options, sizes[i]), MLP_PARAM_ERROR,
            sentence);
  }
}

static void refuses_newer_options_that_are_set(void) {
  later_options later;
  char sentence[300];
  memset(&later, 0xff, sizeof later);
  CHECK(mlp_fit_options_init_sized(&later.known, sizeof later) == MLP_OK);
  CHECK(later.known.struct_size == sizeof later && later.unknown == 0);
  CHECK(fit(&later.known) == MLP_OK);

  later.unknown = 1;
  snprintf(sentence, sizeof sentence,
           "options must be those of version %s, which has %zu bytes of them; "
           "got another number than 0 in byte %zu; leave newer options at 0",
           mlp_version(), sizeof(mlp_fit_options), sizeof(mlp_fit_options));
  REFUSED(fit(&later.known), MLP_PARAM_ERROR, sentence);
}

static void refuses_reserved_options(void) {
  mlp_fit_options options;
  CHECK(mlp_fit_options_init(&options) == MLP_OK);
  CHECK(options.keeps_diverged == 0 && options.reserved == 0);
  options.reserved = 2;
  REFUSED(fit(&options), MLP_PARAM_ERROR, "reserved must be 0; got 2");
}

static int never_called(void* user, int64_t iteration, double objective) {
  (void)iteration;
  (void)objective;
  ++*(int*)user;
  return 1;
}

/* A caller of an earlier version has fewer members: what lies behind them is not read. */
static void completes_options_of_an_older_caller(void) {
  mlp_fit_options options;
  int count = 0;
  CHECK(mlp_fit_options_init(&options) == MLP_OK);
  options.on_iteration = never_called;
  options.user = &count;
  options.num_partitions = -1;
  options.weights = off_by_one(&options);

  options.struct_size = offsetof(mlp_fit_options, weights);
  CHECK(fit(&options) == MLP_OK);
  CHECK(count == 0);

  memset(&options, 0xff, sizeof options);
  const size_t size = offsetof(mlp_fit_options, partition_sizes);
  CHECK(mlp_fit_options_init_sized(&options, size) == MLP_OK);
  CHECK(options.struct_size == size && options.num_threads == 1);
  CHECK(options.weights == NULL && options.num_partitions == -1);
  CHECK(fit(&options) == MLP_OK);
}

int main(void) {
  refuses_null_models();
  refuses_null_outputs();
  refuses_null_inputs();
  refuses_bad_rows();
  refuses_bad_arrays_of_a_fit();
  refuses_bad_partitions();
  refuses_bad_threads();
  refuses_bad_arrays_of_a_score();
  refuses_texts_longer_than_memory();
  refuses_options_of_no_version();
  refuses_newer_options_that_are_set();
  refuses_reserved_options();
  refuses_bad_weights();
  completes_options_of_an_older_caller();
  puts("the C interface refuses what it cannot use");
  return 0;
}
