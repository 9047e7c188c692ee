// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../params/params.hpp"
#include "../result/fit_result.hpp"
#include "../training/fit_options.hpp"
#include "selection_plan.hpp"

namespace mlp {

/// Trains the model that does best on unseen rows.
///
/// Trainings without the rows of a fold each choose the encoding of the numbers, and
/// then the penalty, by the loss of these rows. Then networks of other seeds are
/// trained on all rows and merged into one, and for a classifier the temperature of
/// the folds' unseen rows divides its output. Features are encoded by all rows, and
/// standardised by all rows if options ask for it.
///
/// If the plan has a coverage, the model gets prediction intervals or sets of the
/// folds' unseen rows. The report tells how intervals or sets of the rows of the other
/// folds cover the rows of each fold.
///
/// The result does not depend on the number of threads, among which the trainings are
/// divided.
///
/// \param params   with layers, of a plain network, which begin with the number of
///                 features; their penalty is multiplied by the factors of the plan,
///                 whose encodings replace theirs
/// \param data     as for Classifier::fit(); instances of one group stay in one fold
/// \param options  without validation, warm start, checkpoint and ranks; nothing calls
///                 its callback
/// \return with selection
/// \throws as Classifier::fit(); optim::Interrupted if options ask to stop; ParamError
///         as check_coverage_rows()
/// \cost   at most num_folds * (encodings + penalties - 1) fits of at most
///         max_fold_iterations, and num_folds + num_networks fits; with the memory of one fit for
///         each thread, and of two tables
[[nodiscard]] FitResult select_model(const Params& params,
                                     const datasets::Dataset& data,
                                     const FitOptions& options,
                                     const SelectionPlan& plan);

}  // namespace mlp

#ifndef MLP_COMPILED  // otherwise mlp::compiled defines it
namespace mlp {
inline FitResult select_model(const Params&, const datasets::Dataset&,
                              const FitOptions&, const SelectionPlan&);
}  // namespace mlp
#include "select_model.ipp"
#endif
