// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "../core/error.hpp"
#include "../mlp/model_json.hpp"
#include "../optim/convergence_reason.hpp"
#include "guard.hpp"
#include "objects.hpp"

// The functions of c_api.h about models.

using mlp::Index;
using mlp::capi::guarded;
using mlp::capi::guarded_value;
using mlp::capi::require;
using mlp::capi::require_array;

namespace {

Eigen::Map<const mlp::Matrix> features_of(const mlp_model* model,
                                          const double* features,
                                          std::int64_t num_rows) {
  require(model, "model");
  const Index width = model->document.model.num_features();
  mlp::capi::require_rows(num_rows, width);
  if (num_rows != 0) require_array(features, "features");
  return {features, width, num_rows};
}

/// An array of the caller, and its name in errors.
struct Result {
  double* numbers;
  const char* name;
};

/// Computes results for rows and copies them to the caller.
///
/// \param compute  (features) -> a matrix or vector whose columns are rows
template <typename Compute>
mlp_status score(const mlp_model* model, const double* features,
                 std::int64_t num_rows, int num_threads, Result result,
                 const Compute& compute) {
  return guarded([&] {
    const auto rows = features_of(model, features, num_rows);
    mlp::capi::require_threads(num_threads);
    if (num_rows == 0) return;
    require_array(result.numbers, result.name);
    const auto computed = compute(rows);
    std::copy_n(computed.data(), computed.size(), result.numbers);
  });
}

/// Returns a number of a model; -1 without a model.
template <typename Get>
std::int64_t number_of(const mlp_model* model, const Get& get) {
  return guarded_value<std::int64_t>(-1, [&] {
    require(model, "model");
    return std::int64_t{get(model->document.model)};
  });
}

/// Returns the address of an entry, or null.
template <typename Entry>
const Entry* entry(const std::vector<Entry>& entries, std::int64_t index) {
  const bool is_valid =
      index >= 0 && index < static_cast<std::int64_t>(entries.size());
  return is_valid ? &entries[static_cast<std::size_t>(index)] : nullptr;
}

/// Returns a text that a model may have, or null.
template <typename Find>
const char* text_of(const mlp_model* model, const Find& find) {
  return guarded_value<const char*>(nullptr, [&] {
    require(model, "model");
    const std::string* const text = find();
    return text == nullptr ? nullptr : text->c_str();
  });
}

/// Returns an array of a model and its size; null without a model.
template <typename Get>
const double* numbers_of(const mlp_model* model, std::int64_t* size,
                         const Get& get) {
  return guarded_value<const double*>(nullptr, [&] {
    require_array(size, "size");
    *size = 0;
    require(model, "model");
    const auto& numbers = get();
    *size = static_cast<std::int64_t>(numbers.size());
    return numbers.data();
  });
}

void require_classes(const mlp_model& model) {
  if (!model.document.model.is_regressor()) return;
  throw mlp::ParamError("model", "must have classes; it predicts numbers");
}

}  // namespace

extern "C" {

mlp_status mlp_model_load(const char* path, mlp_model** model) {
  return guarded([&] {
    require(model, "model");
    *model = nullptr;
    require(path, "path");
    *model = new mlp_model(mlp::load_model(path));
  });
}

mlp_status mlp_model_from_json(const char* text, size_t size,
                               mlp_model** model) {
  return guarded([&] {
    require(model, "model");
    *model = nullptr;
    require(text, "text");
    if (size > PTRDIFF_MAX) {
      throw mlp::ParamError("size",
                            "must be the number of bytes of the text; "
                            "got " +
                                std::to_string(size));
    }
    *model = new mlp_model(mlp::from_json({text, size}, "model"));
  });
}

mlp_status mlp_model_save(const mlp_model* model, const char* path) {
  return guarded([&] {
    require(model, "model");
    require(path, "path");
    mlp::save_model(path, model->document);
  });
}

mlp_status mlp_model_to_json(const mlp_model* model, char** text) {
  return guarded([&] {
    require(text, "text");
    *text = nullptr;
    require(model, "model");
    const std::string json = mlp::to_json(model->document);
    auto* const copy = static_cast<char*>(std::malloc(json.size() + 1));
    if (copy == nullptr) throw std::bad_alloc();
    std::memcpy(copy, json.c_str(), json.size() + 1);
    *text = copy;
  });
}

void mlp_model_free(mlp_model* model) { delete model; }

void mlp_text_free(char* text) { std::free(text); }

int64_t mlp_model_num_features(const mlp_model* model) {
  return number_of(
      model, [](const mlp::Model& network) { return network.num_features(); });
}

int64_t mlp_model_num_outputs(const mlp_model* model) {
  return number_of(
      model, [](const mlp::Model& network) { return network.num_classes(); });
}

int mlp_model_is_regressor(const mlp_model* model) {
  return static_cast<int>(number_of(model, [](const mlp::Model& network) {
    return network.is_regressor() ? 1 : 0;
  }));
}

int64_t mlp_model_num_sizes(const mlp_model* model) {
  return number_of(model, [](const mlp::Model& network) {
    return static_cast<std::int64_t>(network.layers().size());
  });
}

int64_t mlp_model_size(const mlp_model* model, int64_t index) {
  return number_of(model, [&](const mlp::Model& network) {
    const Index* const size = entry(network.layers(), index);
    return size == nullptr ? 0 : *size;
  });
}

const char* mlp_model_label(const mlp_model* model, int64_t index) {
  return text_of(
      model, [&] { return entry(model->document.model.label_names(), index); });
}

const char* mlp_model_feature_name(const mlp_model* model, int64_t index) {
  return text_of(model, [&] {
    return entry(model->document.model.feature_names(), index);
  });
}

const double* mlp_model_weights(const mlp_model* model, int64_t* size) {
  return numbers_of(model, size, [&]() -> const mlp::Vector& {
    return model->document.model.weights();
  });
}

const double* mlp_model_objective_history(const mlp_model* model,
                                          int64_t* size) {
  return numbers_of(model, size, [&]() -> const std::vector<double>& {
    return model->document.summary.objective_history;
  });
}

const double* mlp_model_thresholds(const mlp_model* model, int64_t* size) {
  return numbers_of(model, size, [&]() -> const std::vector<double>& {
    return model->document.model.thresholds();
  });
}

const char* mlp_model_convergence_reason(const mlp_model* model) {
  return guarded_value<const char*>(nullptr, [&] {
    require(model, "model");
    return mlp::optim::text_of(model->document.summary.convergence_reason)
        .name.data();
  });
}

int64_t mlp_model_num_warnings(const mlp_model* model) {
  return guarded_value<std::int64_t>(-1, [&] {
    require(model, "model");
    return static_cast<std::int64_t>(model->warnings.size());
  });
}

const char* mlp_model_warning_code(const mlp_model* model, int64_t index) {
  return guarded_value<const char*>(nullptr, [&] {
    require(model, "model");
    const mlp::FitWarning* const warning = entry(model->warnings, index);
    return warning == nullptr ? nullptr
                              : mlp::warning_name(warning->code).data();
  });
}

const char* mlp_model_warning(const mlp_model* model, int64_t index) {
  return text_of(model, [&] {
    const mlp::FitWarning* const warning = entry(model->warnings, index);
    return warning == nullptr ? nullptr : &warning->sentence;
  });
}

mlp_status mlp_model_predict(const mlp_model* model, const double* features,
                             int64_t num_rows, int num_threads,
                             double* prediction) {
  return score(model, features, num_rows, num_threads,
               {prediction, "prediction"}, [&](const auto& rows) {
                 return model->scorer.predict(rows, num_threads);
               });
}

mlp_status mlp_model_predict_raw(const mlp_model* model, const double* features,
                                 int64_t num_rows, int num_threads,
                                 double* raw) {
  return score(model, features, num_rows, num_threads, {raw, "raw"},
               [&](const auto& rows) {
                 return model->scorer.predict_raw(rows, num_threads);
               });
}

mlp_status mlp_model_predict_probability(const mlp_model* model,
                                         const double* features,
                                         int64_t num_rows, int num_threads,
                                         double* probability) {
  return score(model, features, num_rows, num_threads,
               {probability, "probability"}, [&](const auto& rows) {
                 require_classes(*model);
                 return model->scorer.predict_probability(rows, num_threads);
               });
}

mlp_status mlp_model_score(const mlp_model* model, const double* features,
                           int64_t num_rows, int num_threads,
                           double* prediction, double* raw,
                           double* probability) {
  return guarded([&] {
    const auto rows = features_of(model, features, num_rows);
    mlp::capi::require_threads(num_threads);
    if (probability != nullptr) require_classes(*model);
    mlp::capi::require_alignment(prediction, alignof(double), "prediction");
    mlp::capi::require_alignment(raw, alignof(double), "raw");
    mlp::capi::require_alignment(probability, alignof(double), "probability");
    if (num_rows == 0) return;
    const mlp::Model& network = model->document.model;
    const mlp::Matrix outputs = model->scorer.predict_raw(rows, num_threads);
    const auto copy = [](const auto& numbers, double* to) {
      std::copy_n(numbers.data(), numbers.size(), to);
    };
    if (raw != nullptr) copy(outputs, raw);
    if (prediction != nullptr) copy(network.to_prediction(outputs), prediction);
    if (probability != nullptr) {
      copy(network.to_probability(outputs), probability);
    }
  });
}

}  // extern "C"
