// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#ifndef MLP_C_API_H
#define MLP_C_API_H

/** \file
 * The C interface: other languages load models, score rows and train through it.
 *
 * Every function that can fail returns a status; mlp_last_error() has the sentence.
 * A function that returns a number of a model returns -1 if the model is NULL, and one
 * that returns an address returns NULL; mlp_last_error() has that sentence too.
 * An argument may be NULL only where its function says so; the functions whose names
 * end in _free do nothing with NULL.
 * Rows are instances: features are row-major [rows x features]. Objects may be read
 * by several threads at the same time; a model never changes. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MLP_API __attribute__((visibility("default")))
#else
#define MLP_API
#endif

/** Status code of a call. The numbers are the program's exit codes. */
typedef enum mlp_status {
  MLP_OK = 0,
  MLP_INTERNAL_ERROR = 1, /**< a bug of this library; please report it */
  MLP_PARAM_ERROR = 2,    /**< a hyper-parameter or an argument is wrong */
  MLP_DATA_ERROR = 3,     /**< data cannot be used */
  MLP_MODEL_ERROR = 4,    /**< a model cannot be read or written */
  MLP_DIVERGED = 5,       /**< the objective or the weights are not finite */
  MLP_RESOURCE_ERROR = 6, /**< memory or disk space is missing */
  MLP_DEVICE_ERROR = 7    /**< a device or a part of this build is missing */
} mlp_status;

/** A trained network; mlp_model_free() releases it. */
typedef struct mlp_model mlp_model;

/** Hyper-parameters; mlp_params_free() releases them. */
typedef struct mlp_params mlp_params;

/** The version of the library, such as "1.0.0". */
MLP_API const char* mlp_version(void);

/** The sentence of the last error of this thread; "" before the first one. It is valid
 * until the next call in this thread; other threads do not change it. */
MLP_API const char* mlp_last_error(void);

/** Loads a model file.
 * \param[out] model  NULL if the function fails */
MLP_API mlp_status mlp_model_load(const char* path, mlp_model** model);

/** Reads a model from the text of a model file.
 * \param size  number of bytes of the text */
MLP_API mlp_status mlp_model_from_json(const char* text, size_t size,
                                       mlp_model** model);

/** Saves a model file. An existing file is replaced as a whole or not at all. */
MLP_API mlp_status mlp_model_save(const mlp_model* model, const char* path);

/** Writes the text of the model file.
 * \param[out] text  ends with a null character; mlp_text_free() releases it */
MLP_API mlp_status mlp_model_to_json(const mlp_model* model, char** text);

MLP_API void mlp_model_free(mlp_model* model);
MLP_API void mlp_text_free(char* text);

/** The number of values of a row, before the model encodes numbers in quantile bins. */
MLP_API int64_t mlp_model_num_features(const mlp_model* model);

/** The number of classes, or of the numbers that a regressor predicts. */
MLP_API int64_t mlp_model_num_outputs(const mlp_model* model);

/** 1 if the model predicts numbers, 0 if it predicts classes, -1 without a model. */
MLP_API int mlp_model_is_regressor(const mlp_model* model);

/** The number of layer sizes, and each of them, from the features and their quantile bins
 * on; 0 if the index is no layer. */
MLP_API int64_t mlp_model_num_sizes(const mlp_model* model);
MLP_API int64_t mlp_model_size(const mlp_model* model, int64_t index);

/** The name of a class; NULL if the index is no class or the class has no name. */
MLP_API const char* mlp_model_label(const mlp_model* model, int64_t index);

/** The name of a feature; NULL if the index is no feature or the features have no
 * names. */
MLP_API const char* mlp_model_feature_name(const mlp_model* model,
                                           int64_t index);

/** Finds the features of a model among the columns of a table, by their names: in
 * any order, and columns of one name by their order among themselves. Functions
 * that predict take features in the order of the model, without names.
 * \param      names    of the columns of the table   [num_names]
 * \param[out] columns  the 0-based column of each feature   [num_features]
 * \return MLP_DATA_ERROR if a feature is missing or ambiguous; MLP_PARAM_ERROR if
 *         the model has no names */
MLP_API mlp_status mlp_model_find_columns(const mlp_model* model,
                                          const char* const* names,
                                          int64_t num_names, int64_t* columns);

/** The weights in Spark's order   [*size]; valid as long as the model. */
MLP_API const double* mlp_model_weights(const mlp_model* model, int64_t* size);

/** The thresholds of the classes   [*size]; *size is 0 if the model has none. */
MLP_API const double* mlp_model_thresholds(const mlp_model* model,
                                           int64_t* size);

/** The number of weights of Spark's MultilayerPerceptronClassificationModel; -1 if it
 * cannot express the network, such as one with another activation: mlp_last_error() has
 * the reason. */
MLP_API int64_t mlp_model_num_spark_weights(const mlp_model* model);

/** Computes the weights of Spark's model, with the scaler and batch normalisation in
 * them.
 * \param      size     mlp_model_num_spark_weights()
 * \param[out] weights  in Spark's order   [size]
 * \return MLP_MODEL_ERROR if Spark's model cannot express the network, or if its weights
 *         overflow */
MLP_API mlp_status mlp_model_spark_weights(const mlp_model* model, int64_t size,
                                           double* weights);

/** The objective at the start and after each iteration   [*size]. A model that was
 * not trained by this library may have none: *size is 0. */
MLP_API const double* mlp_model_objective_history(const mlp_model* model,
                                                  int64_t* size);

/** Why the training stopped, such as "maxIter". */
MLP_API const char* mlp_model_convergence_reason(const mlp_model* model);

/** The number of warnings of the training, and the name and the sentence of each, such
 * as "stillImproving"; NULL if the index is none. Only a model of mlp_fit() has them:
 * files do not store warnings. */
MLP_API int64_t mlp_model_num_warnings(const mlp_model* model);
MLP_API const char* mlp_model_warning_code(const mlp_model* model,
                                           int64_t index);
MLP_API const char* mlp_model_warning(const mlp_model* model, int64_t index);

/** Predicts class indices, or the number of a regressor.
 * Arrays of these functions may be NULL if there are no rows. A feature that is NaN
 * gives outputs that are NaN, as in Spark.
 * \param      features    [num_rows x num_features], row-major
 * \param      num_threads 1 to 1024; it never changes the result
 * \param[out] prediction  [num_rows] */
MLP_API mlp_status mlp_model_predict(const mlp_model* model,
                                     const double* features, int64_t num_rows,
                                     int num_threads, double* prediction);

/** Computes the outputs of the last layer, before the softmax.
 * \param[out] raw  [num_rows x num_outputs], row-major */
MLP_API mlp_status mlp_model_predict_raw(const mlp_model* model,
                                         const double* features,
                                         int64_t num_rows, int num_threads,
                                         double* raw);

/** Computes the probability of each class; a regressor has none and is refused.
 * \param[out] probability  [num_rows x num_outputs], row-major */
MLP_API mlp_status mlp_model_predict_probability(const mlp_model* model,
                                                 const double* features,
                                                 int64_t num_rows,
                                                 int num_threads,
                                                 double* probability);

/** Computes several results at once: the layers are computed only once.
 * \param[out] prediction, raw, probability  as above; NULL leaves one out */
MLP_API mlp_status mlp_model_score(const mlp_model* model,
                                   const double* features, int64_t num_rows,
                                   int num_threads, double* prediction,
                                   double* raw, double* probability);

/** Makes hyper-parameters with Spark's defaults. */
MLP_API mlp_status mlp_params_new(mlp_params** params);

/** Sets a hyper-parameter by Spark's name, from text: ("layers", "4,5,3"). */
MLP_API mlp_status mlp_params_set(mlp_params* params, const char* name,
                                  const char* value);

MLP_API void mlp_params_free(mlp_params* params);

/** Makes a model of weights that were trained elsewhere, such as by Spark. Its network is
 * that of the hyper-parameters, of which "layers" must be set.
 * \param      weights  in Spark's order   [size]
 * \param      size     the number of weights of the network
 * \param[out] model    NULL if the function fails
 * \return MLP_DATA_ERROR for another number of weights, MLP_MODEL_ERROR for weights that
 *         are not finite */
MLP_API mlp_status mlp_model_from_weights(const mlp_params* params,
                                          const double* weights, int64_t size,
                                          mlp_model** model);

/** Called after each iteration, in the thread that called mlp_fit(); 0 stops the
 * training. A function of C++ must not throw: mlp_fit() then fails. */
typedef int (*mlp_iteration_callback)(void* user, int64_t iteration,
                                      double objective);

/** What a training reads besides the data. mlp_fit_options_init() sets the defaults.
 *
 * Later versions add members at the end, for which 0 is the default. A library reads
 * struct_size bytes: members that it has and the caller does not are 0, and bytes of the
 * caller that it does not know must be 0, up to 4096 in all. Other sizes are refused. */
typedef struct mlp_fit_options {
  size_t struct_size;    /**< set by mlp_fit_options_init() */
  int num_threads;       /**< 1, to 1024; it never changes the result */
  int is_standardizing;  /**< 0; 1 scales the features */
  const double* weights; /**< NULL, or one per row */
  const int64_t* partition_sizes; /**< NULL, or the rows of each partition */
  int64_t num_partitions;         /**< 0, or the number of partition_sizes */
  mlp_iteration_callback on_iteration; /**< NULL */
  void* user;                          /**< passed to the callback */
  int keeps_diverged; /**< 0; 1 returns the model instead of MLP_DIVERGED */
  int reserved;       /**< 0 */
} mlp_fit_options;

/** Sets the defaults of a struct of that size; see mlp_fit_options. */
MLP_API mlp_status mlp_fit_options_init_sized(mlp_fit_options* options,
                                              size_t struct_size);

/** Sets the defaults. It is compiled into the caller, so that a newer library knows which
 * members the caller has. */
static inline mlp_status mlp_fit_options_init(mlp_fit_options* options) {
  return mlp_fit_options_init_sized(options, sizeof(mlp_fit_options));
}

/** Trains a model, exactly as Spark does with these layers. A training whose objective
 * or weights end up not finite is MLP_DIVERGED; its sentence says what may help.
 * \param      features  [num_rows x num_features], row-major, finite
 * \param      labels    [num_rows], class indices or numbers
 * \param      options   NULL for the defaults
 * \param[out] model     NULL if the function fails */
MLP_API mlp_status mlp_fit(const mlp_params* params, const double* features,
                           const double* labels, int64_t num_rows,
                           int64_t num_features, const mlp_fit_options* options,
                           mlp_model** model);

#ifdef __cplusplus
}
#endif

#endif /* MLP_C_API_H */
