// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "flag_needs.hpp"

#include <array>
#include <string_view>

#include "../../core/error.hpp"

namespace mlp::cli {

namespace {

/// What a flag needs in order to have an effect.
struct FlagNeed {
  FlagName flag;
  bool (*is_met)(const TrainOptions& options, const FlagReader& flags);

  /// Follows the name of the flag if the need is not met.
  std::string_view sentence;

  /// Only a note: the value is one of Spark's parameters, or is harmless.
  bool is_note = false;
};

bool has_ranks(const TrainOptions& options, const FlagReader& flags) {
  return flags.has("ranks") || options.ranks.transport != Transport::kNone;
}

bool has_batches(const TrainOptions& options, const FlagReader& /*flags*/) {
  return has_mini_batches(options.params.solver);
}

bool has_no_batches(const TrainOptions& options, const FlagReader& flags) {
  return !has_batches(options, flags);
}

bool is_lbfgs(const TrainOptions& options, const FlagReader& /*flags*/) {
  return options.params.solver == Solver::kLbfgs;
}

bool is_not_lbfgs(const TrainOptions& options, const FlagReader& flags) {
  return !is_lbfgs(options, flags);
}

bool has_validation(const TrainOptions& /*options*/, const FlagReader& flags) {
  return flags.has("validation");
}

bool has_split(const TrainOptions& options, const FlagReader& /*flags*/) {
  return !options.split.empty();
}

bool has_random_parts(const TrainOptions& options,
                      const FlagReader& /*flags*/) {
  return !options.split.empty() || options.validation_share > 0.0;
}

bool has_parts_besides_folds(const TrainOptions& options,
                             const FlagReader& flags) {
  return !flags.has("folds") || has_random_parts(options, flags);
}

bool has_classes(const TrainOptions& options, const FlagReader& /*flags*/) {
  return options.params.task == Task::kClassification;
}

bool reads_tol(const TrainOptions& options, const FlagReader& /*flags*/) {
  return !has_mini_batches(options.params.solver) ||
         options.params.stall_epochs > 0;
}

bool has_no_gradient_tol(const TrainOptions& /*options*/,
                         const FlagReader& flags) {
  return !flags.has("gradient-tol");
}

bool has_checkpoint(const TrainOptions& /*options*/, const FlagReader& flags) {
  return flags.has("checkpoint");
}

bool may_have_categories(const TrainOptions& options,
                         const FlagReader& /*flags*/) {
  return options.csv.one_hot.is_on() ||
         (options.warm_start &&
          datasets::has_categories(options.warm_start->input_columns()));
}

bool has_no_initial_weights(const TrainOptions& /*options*/,
                            const FlagReader& flags) {
  return !flags.has("initial-weights");
}

bool is_not_standardizing(const TrainOptions& options,
                          const FlagReader& /*flags*/) {
  return !options.is_standardizing;
}

constexpr std::string_view kNeedsRanks =
    "needs several ranks; add --ranks N or --rendezvous, or start the program "
    "with mpirun";
constexpr std::string_view kNeedsBatches =
    "needs mini-batches, which l-bfgs and gd do not have; add --solver sgd, "
    "adam or adamw";
constexpr std::string_view kHasNoBatches =
    "has no effect with mini-batches; only l-bfgs and gd use it";

constexpr auto kFlagNeeds = std::to_array<FlagNeed>({
    {"timeline", has_ranks, kNeedsRanks},
    {"rank-timeout", has_ranks, kNeedsRanks},
    {"wire", has_ranks, kNeedsRanks},
    {"exchange-plan", has_ranks, kNeedsRanks},
    {"autotune", has_ranks, kNeedsRanks},
    {"wire", has_batches, kNeedsBatches},
    {"exchange-plan", has_batches, kNeedsBatches},
    {"autotune", has_batches, kNeedsBatches},
    {"batch-size", has_batches, kNeedsBatches},
    {"history-size", is_lbfgs,
     "needs --solver l-bfgs; the others have no history"},
    {"patience", has_validation,
     "needs rows for validation; add --validation with a share or a file"},
    {"unknown", may_have_categories,
     "needs columns of categories; add --one-hot"},
    {"label-kind", has_classes, kLabelKindNeed},
    {"stratify", has_parts_besides_folds,
     "has no effect on --folds, which give each part the same share of each "
     "class already; leave it out"},
    {"stratify", has_random_parts,
     "needs rows to draw; add --split, or --validation with a share"},
    {"stratify", has_classes,
     "needs classes, which --task regression does not have; leave it out"},
    {"write-split", has_split, "needs the parts; add --split"},
    {"force", has_checkpoint,
     "needs the file of the state; add --checkpoint FILE"},
    {"init", has_no_initial_weights,
     "cannot be combined with --initial-weights, which gives all weights; use "
     "only one of them"},
    {"step-size", is_not_lbfgs,
     "has no effect with solver l-bfgs, which searches for the size of each "
     "step",
     true},
    {"tol", reads_tol, kHasNoBatches, true},
    {"tol", has_no_gradient_tol,
     "has no effect with --gradient-tol, which stops l-bfgs instead", true},
    {"block-size", has_no_batches, kHasNoBatches, true},
    {"partitions", has_no_batches, kHasNoBatches, true},
    {"partition-sizes", has_no_batches, kHasNoBatches, true},
    {"scale", is_not_standardizing,
     "has no effect with --standardize, which removes any earlier scaling",
     true},
});

}  // namespace

std::vector<std::string> check_flag_needs(const TrainOptions& options,
                                          const FlagReader& flags) {
  std::vector<std::string> notes;
  for (const FlagNeed& need : kFlagNeeds) {
    if (!flags.has(need.flag) || need.is_met(options, flags)) continue;
    const std::string name = "--" + std::string(need.flag.view());
    if (!need.is_note) {
      throw ParamError(name + ": " + std::string(need.sentence));
    }
    notes.push_back(name + " " + std::string(need.sentence));
  }
  return notes;
}

}  // namespace mlp::cli
