// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "training_files.hpp"

#include <string>
#include <vector>

#include "../../mlp/checkpoint/checkpoint_file.hpp"

namespace mlp::cli {

namespace {

/// Returns the names that a file has on some ranks: one if it has no {rank}.
std::vector<std::string> names_of(const std::string& file,
                                  const RankRange& ranks) {
  if (!ranks.is_group || !has_rank(file)) return {file};
  std::vector<std::string> names;
  for (int rank = ranks.first; rank < ranks.end; ++rank) {
    names.push_back(file_of_rank(file, rank));
  }
  return names;
}

void add_inputs(OutputFiles& files, const TrainOptions& given,
                const RankRange& ranks) {
  for (const std::string& name : names_of(given.data_file, ranks)) {
    files.add_input("DATA", name);
  }
  for (const std::string& name : names_of(given.labels_file, ranks)) {
    files.add_input("--labels", name);
  }
  files.add_input("--validation", given.validation_file);
  files.add_input("--warm-start", given.warm_start_file);
  files.add_input("--initial-weights", given.initial_weights_file);
}

void add_outputs(OutputFiles& files, const TrainOptions& given,
                 const RankRange& ranks) {
  const bool has_first_rank = ranks.first == 0;
  if (has_first_rank || has_rank(given.model_file)) {
    for (const std::string& name : names_of(given.model_file, ranks)) {
      files.add_output("--out", name, OutputKind::kAny);
    }
  }
  // If a rank is lost, each of the others writes the checkpoint.
  const std::string& checkpoint = given.checkpoint.file;
  files.add_output("--checkpoint", checkpoint, OutputKind::kRegular);
  if (!checkpoint.empty()) {
    files.add_renamed_output("--checkpoint", previous_checkpoint(checkpoint));
    files.add_renamed_output("--checkpoint", damaged_checkpoint(checkpoint));
  }
  if (has_first_rank) {
    files.add_output("--timeline", given.ranks.timeline_file,
                     OutputKind::kRegular);
  }
}

}  // namespace

OutputFiles list_training_files(const TrainOptions& given,
                                const RankRange& ranks) {
  OutputFiles files;
  add_inputs(files, given, ranks);
  add_outputs(files, given, ranks);
  return files;
}

void check_training_files(const TrainOptions& given,
                          const distributed::Allreduce* group) {
  RankRange own{0, 1, group != nullptr};
  if (group) own = {group->rank(), group->rank() + 1, true};
  RankRange compared = own;
  if (group && group->rank() == 0) compared.end = group->world_size();
  list_training_files(given, compared).check_distinct();
  list_training_files(given, own).check_writable();
}

}  // namespace mlp::cli
