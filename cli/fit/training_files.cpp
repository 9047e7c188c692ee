// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "training_files.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/files/atomic_file.hpp"
#include "../../datasets/csv/csv_records.hpp"
#include "../../datasets/csv/layout/csv_layout.hpp"
#include "../../datasets/load/arrow_format.hpp"
#include "../../datasets/load/data_files.hpp"
#include "../../datasets/load/load.hpp"
#include "../../mlp/checkpoint/checkpoint_file.hpp"
#include "../data/data_file.hpp"
#include "training_checkpoint.hpp"

namespace mlp::cli {

namespace {

/// The files that --write-split makes: of the training, and of the test.
std::array<std::string, 2> split_files(const TrainOptions& options) {
  return {options.split_prefix + "-train.csv",
          options.split_prefix + "-test.csv"};
}

/// Returns true for a Parquet or Arrow file, whose rows are no lines.
bool starts_as_table(const std::string& path) {
  std::string start(8, '\0');
  std::ifstream(path, std::ios::binary).read(start.data(), 8);
  return datasets::detail::find_arrow_format(start) != nullptr;
}

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
  for (const std::string& file : given.data) {
    for (const std::string& name : names_of(file, ranks)) {
      add_data_inputs(files, "DATA", name);
    }
  }
  for (const std::string& name : names_of(given.labels_file, ranks)) {
    files.add_input("--labels", name);
  }
  add_data_inputs(files, "--validation", given.validation_file);
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
  if (!has_first_rank) return;
  files.add_output("--timeline", given.ranks.timeline_file,
                   OutputKind::kRegular);
  files.add_output("--history", given.history_file, OutputKind::kAny);
  if (given.split_prefix.empty()) return;
  for (const std::string& file : split_files(given)) {
    files.add_output("--write-split", file, OutputKind::kRegular);
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
  refuse_existing_checkpoint(given.checkpoint);
}

void check_split_file(const datasets::Dataset& data,
                      const TrainOptions& options) {
  if (options.split_prefix.empty()) return;
  const bool is_csv =
      !data.lines.empty() && data.vector_kind == datasets::VectorKind::kDense;
  const datasets::DataFiles files = datasets::find_data_files(options.data);
  const bool is_one = files.paths.size() == 1 && files.columns.empty();
  if (is_csv && is_one && std::filesystem::is_regular_file(files.paths[0]) &&
      !starts_as_table(files.paths[0])) {
    return;
  }
  throw ParamError(
      "--write-split: needs one regular file of CSV or TSV, whose rows it "
      "copies; got " +
      (is_one ? "" : std::to_string(files.paths.size()) + " files, ") +
      files.name + "; leave out --write-split");
}

void write_split(const std::array<std::vector<Index>, 2>& parts,
                 const TrainOptions& options, bool has_header) {
  if (options.split_prefix.empty()) return;
  const std::string file =
      datasets::find_data_files(options.data).paths.front();
  const std::string text = datasets::read_data_bytes(file);
  std::vector<Index> lines = parts[0];
  lines.insert(lines.end(), parts[1].begin(), parts[1].end());
  const datasets::CsvRecords records(
      text, std::move(lines), file,
      datasets::detail::make_dialect(text, options.csv).delimiter, has_header);
  const auto files = split_files(options);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    replace_file<ResourceError>(files[i], records.select(parts[i]));
  }
}

}  // namespace mlp::cli
