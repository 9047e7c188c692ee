// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../params/params.hpp"
#include "../result/fit_result.hpp"
#include "../training/fit_options.hpp"
#include "selection_plan.hpp"

namespace mlp {

/// How a selected model does on rows that the trainings of its folds did not see.
struct UnseenScores {
  Index num_instances = 0;

  /// Of a classifier the mean negative log likelihood, of a regressor the mean
  /// squared error in units of the variance of each label, 1 - R2. As all scores,
  /// it is weighted as the training is.
  double loss = 0.0;

  double accuracy = 0.0;           ///< of a classifier
  double calibration_error = 0.0;  ///< of a classifier
};

/// What select_model() chose, and why.
struct SelectionReport {
  Index num_folds = 0;
  Index num_networks = 0;
  double reg_param = 0.0;
  double temperature = 1.0;  ///< of a classifier
  UnseenScores unseen;
};

/// A model, and how it was chosen. The summary of the fit is that of the first
/// network.
struct SelectedModel {
  FitResult fit;
  SelectionReport report;
};

/// Trains the model that does best on unseen rows.
///
/// Trainings without the rows of a fold each choose the penalty by the loss of these
/// rows. Then networks of other seeds are trained on all rows and merged into one, and
/// for a classifier the temperature of the folds' unseen rows divides its output.
/// Features are standardised by all rows, if options ask for it.
///
/// The result does not depend on the number of threads, among which the trainings are
/// divided.
///
/// \param params   with layers, of a plain network; their penalty is multiplied by the
///                 factors of the plan
/// \param data     as for Classifier::fit()
/// \param options  without validation, warm start, checkpoint and ranks; nothing calls
///                 its callback
/// \param groups   instances of one group stay in one fold; empty for none
///                 [num_instances]
/// \throws as Classifier::fit(); optim::Interrupted if options ask to stop
/// \cost   at most (num_folds - 1) * penalties + num_networks times a fit
[[nodiscard]] SelectedModel select_model(const Params& params,
                                         const datasets::Dataset& data,
                                         const FitOptions& options,
                                         const SelectionPlan& plan,
                                         const std::vector<Index>& groups = {});

}  // namespace mlp

#ifndef MLP_COMPILED  // otherwise mlp::compiled defines it
namespace mlp {
inline SelectedModel select_model(const Params&, const datasets::Dataset&,
                                  const FitOptions&, const SelectionPlan&,
                                  const std::vector<Index>&);
}  // namespace mlp
#include "select_model.ipp"
#endif
