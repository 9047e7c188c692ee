// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../core/number_text.hpp"
#include "../../../core/thread_pool.hpp"
#include "../../../mlp/model.hpp"
#include "../../../mlp/network/loss_formulas.hpp"
#include "../backends.hpp"
#include "../data/arrays.hpp"
#include "../data/features.hpp"
#include "model.hpp"

namespace mlp::python {

namespace {

/// Numbers that a thread checks, converts and scores at a time: they stay in the
/// cache.
constexpr Index kNumbersPerPart = 65536;

/// The instances of a part are a multiple of this. Every kernel's group size
/// divides it.
constexpr Index kGroupSize = 64;

void check_width(const ScoredModel& model, const Features& features) {
  const Index width = features.num_features();
  if (width == model.model().num_features()) return;
  throw ShapeError(
      "X has " + std::to_string(width) + " features, but the model expects " +
      std::to_string(model.model().num_features()) + " features as input");
}

/// Divides instances into parts that threads check and score.
class Parts {
 public:
  explicit Parts(const Features& features)
      : features_(features),
        part_size_(kNumbersPerPart / std::max<Index>(num_features(), 1) /
                   kGroupSize * kGroupSize) {
    part_size_ = std::max(part_size_, kGroupSize);
  }

  [[nodiscard]] Index num_features() const { return features_.num_features(); }
  [[nodiscard]] Index num_instances() const {
    return features_.num_instances();
  }
  [[nodiscard]] Index count() const {
    return (num_instances() + part_size_ - 1) / part_size_;
  }
  [[nodiscard]] Index first(Index part) const { return part * part_size_; }

  [[nodiscard]] RowsInPlace at(Index part, GatheredRows& memory) const {
    const Index begin = first(part);
    return features_.at(begin, std::min(part_size_, num_instances() - begin),
                        memory);
  }

 private:
  const Features& features_;
  Index part_size_;
};

/// Calls work(first instance, rows) for all instances, on several threads and without
/// the GIL.
///
/// \param num_threads  an upper limit
/// \param is_finite    refuses features that are NaN or infinite
template <typename Work>
void for_each_part(const ScoredModel& model, const Features& features,
                   int num_threads, const Work& work, bool is_finite = true) {
  check_width(model, features);
  const nb::gil_scoped_release release;
  const Parts parts(features);
  std::atomic<bool> is_refused = false;
  const auto run = [&](GatheredRows& memory, Index part) {
    const RowsInPlace rows = parts.at(part, memory);
    if (is_finite && !are_finite(rows, parts.num_features())) {
      is_refused = true;
    } else {
      work(parts.first(part), rows);
    }
  };
  GatheredRows first_memory;
  if (parts.count() <= 1) {
    if (parts.count() == 1) run(first_memory, 0);
  } else {
    ThreadPool pool(
        model.scorer().useful_threads(parts.num_instances(), num_threads));
    std::vector<GatheredRows> memory(
        static_cast<std::size_t>(pool.num_threads()));
    pool.parallel_for(parts.count(), [&](Index part, int thread) {
      run(memory[static_cast<std::size_t>(thread)], part);
    });
  }
  if (!is_refused) return;
  for (Index part = 0; part < parts.count(); ++part) {
    check_finite(parts.at(part, first_memory), parts.num_features(),
                 parts.first(part), model.model().feature_names());
  }
}

/// Computes the outputs of the last layer. Features of float32 have the outputs of the
/// same numbers in float64.
///
/// \param[out] raw  [num_classes x rows.size]
void compute_raw(const Scorer& scorer, const RowsInPlace& rows, double* raw) {
  if (rows.doubles != nullptr) {
    scorer.predict_raw(rows.doubles, rows.size, raw);
  } else {
    scorer.predict_raw(rows.floats, rows.size, raw);
  }
}

/// Predicts class indices, or the numbers of a regressor   [instances]
nb::object predict_features(const ScoredModel& model, const Features& features,
                            int threads) {
  const Index num_outputs = model.model().num_classes();
  Vector prediction(features.num_instances());
  for_each_part(
      model, features, threads, [&](Index first, const RowsInPlace& rows) {
        Matrix raw(num_outputs, rows.size);
        compute_raw(model.scorer(), rows, raw.data());
        prediction.segment(first, rows.size) = model.model().to_prediction(raw);
      });
  return to_array(std::move(prediction));
}

nb::object predict_raw_of(const ScoredModel& model, const Features& features,
                          int threads) {
  Matrix raw(model.model().num_classes(), features.num_instances());
  for_each_part(model, features, threads,
                [&](Index first, const RowsInPlace& rows) {
                  compute_raw(model.scorer(), rows, raw.col(first).data());
                });
  return to_array(std::move(raw));
}

nb::object predict_probability_of(const ScoredModel& model,
                                  const Features& features, int threads) {
  const bool has_classes = !model.model().is_regressor();
  Matrix probability(has_classes ? model.model().num_classes() : 0,
                     features.num_instances());
  for_each_part(
      model, features, threads, [&](Index first, const RowsInPlace& rows) {
        if (!has_classes) return;
        compute_raw(model.scorer(), rows, probability.col(first).data());
        for (Index j = first; j < first + rows.size; ++j) {
          softmax(probability.col(j));
        }
      });
  return to_array(std::move(probability));
}

/// Computes the lower ends of prediction intervals, and behind them the upper ends
/// [2 num_outputs x instances]
nb::object predict_interval_of(const ScoredModel& model,
                               const Features& features, int threads) {
  const auto& interval = model.model().prediction_interval();
  if (!interval) {
    throw ParamError(
        "the model has no prediction intervals; train a regressor with "
        "interval, such as interval=0.9");
  }
  const Index num_outputs = model.model().num_classes();
  Matrix ends(2 * num_outputs, features.num_instances());
  for_each_part(
      model, features, threads, [&](Index first, const RowsInPlace& rows) {
        Matrix raw(num_outputs, rows.size);
        compute_raw(model.scorer(), rows, raw.data());
        auto part = ends.middleCols(first, rows.size);
        part.topRows(num_outputs) = raw.colwise() + interval->lower;
        part.bottomRows(num_outputs) = raw.colwise() + interval->upper;
      });
  return to_array(std::move(ends));
}

/// Tells which classes are in prediction sets, as 1, and which are not, as 0
/// [num_classes x instances]
nb::object predict_set_of(const ScoredModel& model, const Features& features,
                          int threads) {
  const auto& set = model.model().prediction_set();
  if (!set) {
    throw ParamError(
        "the model has no prediction sets; train a classifier with coverage, "
        "such as coverage=0.9");
  }
  Matrix is_in(model.model().num_classes(), features.num_instances());
  for_each_part(
      model, features, threads, [&](Index first, const RowsInPlace& rows) {
        compute_raw(model.scorer(), rows, is_in.col(first).data());
        for (Index j = first; j < first + rows.size; ++j) {
          softmax(is_in.col(j));
          const double least = set->least(is_in.col(j));
          is_in.col(j) = (is_in.col(j).array() >= least).cast<double>();
        }
      });
  return to_array(std::move(is_in));
}

/// Makes a function of an array, and one of columns, from one of any features.
template <auto kFunction>
nb::object of_rows(const ScoredModel& model, const Rows& rows, int threads) {
  return kFunction(model, ArrayFeatures(rows), threads);
}

template <auto kFunction>
nb::object of_columns(const ScoredModel& model, const ColumnFeatures& columns,
                      int threads) {
  return kFunction(model, columns, threads);
}

/// Returns what predict_raw(), predict_probability() and predict() return; the
/// layers are computed only once. A regressor has no probabilities. Features that
/// are NaN give outputs that are NaN and class 0, as in Spark.
nb::tuple score(const ScoredModel& model, const Rows& rows, int threads) {
  const auto size = static_cast<Index>(rows.shape(0));
  const Index num_outputs = model.model().num_classes();
  const bool has_classes = !model.model().is_regressor();
  Matrix raw(num_outputs, size);
  Matrix probability(has_classes ? num_outputs : 0, size);
  Vector prediction(has_classes || num_outputs == 1 ? size : 0);
  const auto work = [&](Index first, const RowsInPlace& part) {
    compute_raw(model.scorer(), part, raw.col(first).data());
    const Matrix computed = raw.middleCols(first, part.size);
    if (prediction.size() > 0) {
      prediction.segment(first, part.size) =
          model.model().to_prediction(computed);
    }
    if (has_classes) {
      probability.middleCols(first, part.size) =
          model.model().to_probability(computed);
    }
  };
  for_each_part(model, ArrayFeatures(rows), threads, work, false);
  return nb::make_tuple(to_array(std::move(raw)),
                        to_array(std::move(probability)),
                        to_array(std::move(prediction)));
}

nb::object hidden_output(const ScoredModel& model, const Rows& rows,
                         Index layer) {
  const std::vector<Index>& layers = model.model().layers();
  const auto num_hidden = static_cast<Index>(layers.size()) - 2;
  if (layer < 1 || layer > num_hidden) {
    throw ParamError("layer", "must be a hidden layer, 1 to " +
                                  std::to_string(num_hidden) + " for layers " +
                                  format_list(layers) + "; got " +
                                  std::to_string(layer));
  }
  Matrix output(layers[static_cast<std::size_t>(layer)],
                static_cast<Index>(rows.shape(0)));
  const Index num_features = model.model().num_features();
  const auto work = [&](Index first, const RowsInPlace& part) {
    Matrix wide;
    if (part.doubles == nullptr) {
      wide = Eigen::Map<const Eigen::MatrixXf>(part.floats, num_features,
                                               part.size)
                 .cast<double>();
    }
    const Eigen::Map<const Matrix> features(
        part.doubles != nullptr ? part.doubles : wide.data(), num_features,
        part.size);
    output.middleCols(first, part.size) =
        model.model().hidden_output(features, layer, scoring_backend());
  };
  for_each_part(model, ArrayFeatures(rows), 1, work);
  return to_array(std::move(output));
}

/// Binds a function of an array, and of columns.
template <auto kFunction>
void bind_function(nb::class_<ScoredModel>& model, const char* name,
                   const char* sentence) {
  model
      .def(name, &of_rows<kFunction>, nb::arg("X").noconvert(),
           nb::arg("threads") = 1, sentence)
      .def(name, &of_columns<kFunction>, nb::arg("X").noconvert(),
           nb::arg("threads") = 1, sentence);
}

}  // namespace

void bind_scoring(nb::class_<ScoredModel>& model) {
  bind_function<&predict_features>(
      model, "predict_index",
      "Predicts class indices, or the numbers of a regressor.");
  bind_function<&predict_raw_of>(
      model, "predict_raw",
      "Computes the outputs of the last layer, before the softmax.");
  bind_function<&predict_probability_of>(
      model, "predict_probability", "Computes the probability of each class.");
  bind_function<&predict_interval_of>(
      model, "predict_interval", "Computes the ends of prediction intervals.");
  bind_function<&predict_set_of>(
      model, "predict_set",
      "Tells with 1 and 0 which classes are in prediction sets.");
  model
      .def("score", &score, nb::arg("X").noconvert(), nb::arg("threads") = 1,
           "Computes raw outputs, probabilities and predictions.")
      .def("hidden_output", &hidden_output, nb::arg("X").noconvert(),
           nb::arg("layer"), "Computes the output of a hidden layer.");
}

}  // namespace mlp::python
