// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "rank_data.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "../../../core/byte_stream.hpp"
#include "../../../core/error.hpp"
#include "../../../core/number_text.hpp"
#include "../../../core/quick_digest.hpp"
#include "../../../distributed/watched_allreduce.hpp"
#include "../../../mlp/exchange/rank_facts.hpp"
#include "../../../mlp/training/training_fingerprint.hpp"
#include "rank_group.hpp"

namespace mlp::cli {

namespace {

/// Lines "name value".
class FactLines {
 public:
  void add(std::string_view name, std::string_view value) {
    lines_.append(name).append(1, ' ').append(value).append(1, '\n');
  }
  void add(std::string_view name, Index number) {
    add(name, std::to_string(number));
  }

  /// Adds a digest of numbers or texts.
  template <typename Items>
  void add_digest(std::string_view name, const Items& items) {
    using Item = typename Items::value_type;
    const std::string_view bytes(
        reinterpret_cast<const char*>(items.data()),
        static_cast<std::size_t>(items.size()) * sizeof(Item));
    add(name, std::to_string(quick_digest(bytes)));
  }

  [[nodiscard]] std::string lines() && { return std::move(lines_); }

 private:
  std::string lines_;
};

std::string describe_one_hot(const datasets::OneHotRule& rule) {
  std::string text = rule.is_auto ? "auto" : "";
  for (const std::string& column : rule.columns) {
    text += (text.empty() ? "" : ",") + column;
  }
  return text;
}

/// Lists the flags that prepare the data. Those of the training itself are
/// compared when it begins.
std::string preparation_facts(const TrainOptions& options) {
  FactLines facts;
  facts.add("data", options.has_own_data() ? "a file for each rank"
                                           : "one file for all ranks");
  facts.add("task", name_in(kTaskNames, options.params.task));
  facts.add("task given", options.has_task ? "yes" : "no");
  facts.add("label", options.label);
  for (const std::string& name : options.targets) {
    facts.add("label column", name);
  }
  facts.add("label-kind",
            name_in(datasets::kLabelKindNames, options.label_kind));
  facts.add("weight-col", options.weight);
  facts.add("group", options.csv.group);
  facts.add("split", format_list(options.split));
  facts.add("validation", format_double(options.validation_share));
  facts.add("stratify", options.is_stratified ? "true" : "false");
  facts.add("preset", name_in(kPresetNames, options.preset));
  facts.add("standardize", options.is_standardizing ? "true" : "false");
  facts.add("scale", format_double(options.scale));
  facts.add("missing",
            name_in(datasets::kMissingRuleNames, options.csv.missing));
  facts.add("one-hot", describe_one_hot(options.csv.one_hot));
  facts.add("unknown",
            name_in(datasets::kUnknownRuleNames, options.csv.unknown));
  facts.add("partitions", options.partitions_are_files
                              ? "files"
                              : std::to_string(options.num_partitions));
  facts.add("partition-sizes", format_list(options.partition_sizes));
  // All ranks gather the timelines.
  facts.add("timeline", options.ranks.timeline_file.empty() ? "no" : "yes");
  facts.add("warm-start", options.warm_start ? "yes" : "no");
  if (!options.warm_start) return std::move(facts).lines();
  std::string names;
  for (const std::string& name : options.warm_start->label_names()) {
    names += name + '\0';
  }
  facts.add_digest("digest of the warm-start labels", names);
  facts.add_digest("digest of the warm-start columns",
                   datasets::columns_text(options.warm_start->input_columns()));
  if (const auto& scaler = options.warm_start->scaler()) {
    facts.add_digest("digest of the warm-start means", scaler->mean);
    facts.add_digest("digest of the warm-start deviations",
                     scaler->standard_deviation);
  }
  return std::move(facts).lines();
}

/// \param has_all_features  false if the number of features may differ
std::string kind_facts(const datasets::Dataset& data, bool has_all_features) {
  FactLines facts;
  const bool is_sparse = data.vector_kind == datasets::VectorKind::kSparse;
  facts.add("rows", is_sparse ? "sparse" : "dense");
  facts.add("labels", data.label_texts.empty() ? "numbers" : "texts");
  facts.add("weights", data.weights.size() == 0 ? "none" : "given");
  if (has_all_features) facts.add("features", data.num_features());
  return std::move(facts).lines() + column_facts(data);
}

/// Returns digests of some instances each, the same for features in memory and in a file.
std::vector<std::uint64_t> digest_features(const datasets::Dataset& data) {
  constexpr Index kNumbers = Index{1} << 19;
  const Index at_once =
      std::max<Index>(1, kNumbers / std::max<Index>(1, data.num_features()));
  std::vector<std::uint64_t> digests;
  Matrix buffer;
  for (Index first = 0; first < data.num_instances(); first += at_once) {
    const auto rows = data.rows(
        first, std::min(at_once, data.num_instances() - first), buffer);
    digests.push_back(quick_digest(std::string_view(
        reinterpret_cast<const char*>(rows.data()),
        static_cast<std::size_t>(rows.size()) * sizeof(double))));
  }
  return digests;
}

/// Adds features that are 0 behind the last one.
void widen(datasets::Dataset& data, Index num_features) {
  const Index num_own = data.num_features();
  if (num_features == num_own) return;
  if (data.stored) {
    data.compute_features(
        {num_features, [num_own](const Matrix& from, Eigen::Ref<Matrix> to) {
           to.topRows(num_own) = from;
           to.bottomRows(to.rows() - num_own).setZero();
         }});
    return;
  }
  data.features.conservativeResize(num_features, Eigen::NoChange);
  data.features.bottomRows(num_features - num_own).setZero();
}

std::string content_facts(const datasets::Dataset& data) {
  FactLines facts;
  facts.add("instances", data.num_instances());
  std::vector<std::uint64_t> texts(data.label_texts.size());
  std::transform(data.label_texts.begin(), data.label_texts.end(),
                 texts.begin(),
                 [](const std::string& text) { return quick_digest(text); });
  facts.add_digest("digest of the label texts", texts);
  facts.add_digest("digest of the labels", data.labels);
  facts.add_digest("digest of the targets", data.targets);
  facts.add_digest("digest of the weights", data.weights);
  facts.add_digest("digest of the features", digest_features(data));
  facts.add_digest("digest of the stored zeros", data.stored_zeros);
  facts.add_digest("digest of the categories",
                   datasets::columns_text(data.columns));
  return std::move(facts).lines();
}

std::string pack(const DataTotals& totals) {
  ByteWriter writer;
  writer.write(std::int64_t{totals.num_features});
  writer.write(std::int64_t{totals.num_classes});
  writer.write(std::int64_t{totals.sizes.front()});
  writer.write(std::uint8_t{totals.numbers.are_integers});
  writer.write(std::uint64_t{totals.numbers.counts.size()});
  for (const datasets::NumberCount& entry : totals.numbers.counts) {
    writer.write(entry.number);
    writer.write(std::int64_t{entry.count});
    writer.write_text(entry.spelling);
  }
  writer.write(totals.weight_sum);
  writer.write(std::uint64_t{totals.labels.size()});
  for (const datasets::LabelCount& label : totals.labels) {
    writer.write_text(label.text);
    writer.write(std::int64_t{label.count});
  }
  return std::move(writer).bytes();
}

datasets::LabelNumbers read_numbers(ByteReader& reader) {
  datasets::LabelNumbers numbers;
  numbers.are_integers = reader.read<std::uint8_t>() != 0;
  const auto num_counts = reader.read<std::uint64_t>();
  for (std::uint64_t i = 0; i < num_counts; ++i) {
    const auto number = reader.read<double>();
    const auto count = static_cast<Index>(reader.read<std::int64_t>());
    numbers.counts.push_back({number, count, reader.read_text()});
  }
  return numbers;
}

/// Adds what another rank has.
void add_packed(DataTotals& totals, ByteReader reader) {
  totals.num_features = std::max(
      totals.num_features, static_cast<Index>(reader.read<std::int64_t>()));
  totals.num_classes = std::max(
      totals.num_classes, static_cast<Index>(reader.read<std::int64_t>()));
  totals.sizes.push_back(static_cast<Index>(reader.read<std::int64_t>()));
  totals.numbers.add(read_numbers(reader));
  totals.weight_sum += reader.read<double>();
  const auto num_labels = reader.read<std::uint64_t>();
  for (std::uint64_t i = 0; i < num_labels; ++i) {
    std::string text = reader.read_text();
    const auto count = static_cast<Index>(reader.read<std::int64_t>());
    totals.labels.push_back({std::move(text), count});
  }
}

/// Gathers texts of all ranks and calls take(reader, rank) for each.
template <typename Take>
void gather(distributed::Allreduce& group, const std::string& own,
            const Take& take) {
  int rank = 0;
  for (const std::string& bytes : group.all_gather(own)) {
    try {
      take(ByteReader(bytes, "its data"), rank);
    } catch (const ModelError& error) {
      throw CommunicationError(rank, error.what());
    }
    ++rank;
  }
}

distributed::WatchedAllreduce watch_ranks(const TrainingJob& job) {
  return {*job.group, kStallSeconds, [&job](const std::string& report) {
            job.global.console.note(report);
          }};
}

}  // namespace

void require_matching_data(const TrainOptions& options,
                           const datasets::Dataset& data,
                           distributed::Allreduce& group) {
  const bool is_part = options.has_own_data();
  const bool may_differ =
      is_part && data.vector_kind == datasets::VectorKind::kSparse;
  require_equal_facts(
      group,
      {{preparation_facts(options), "give every rank the same options"},
       {kind_facts(data, !may_differ),
        "give every rank the same columns in the same order"},
       {is_part ? std::string() : content_facts(data),
        "let all ranks read the same file, or name the file of each rank with "
        "{rank}"}});
}

DataTotals unite_totals(const datasets::Dataset& data, Task task,
                        distributed::Allreduce& group) {
  DataTotals totals;
  gather(group, pack(totals_of(data, task)), [&](ByteReader reader, int) {
    add_packed(totals, std::move(reader));
  });
  return totals;
}

Vector sum_over_ranks(const Vector& own, distributed::Allreduce& group) {
  ByteWriter writer;
  writer.write_vector(own);
  Vector sum = Vector::Zero(own.size());
  gather(group, std::move(writer).bytes(),
         [&](ByteReader reader, int) { sum += reader.read_vector<Vector>(); });
  return sum;
}

Matrix gather_first_features(const Matrix& own, const std::vector<Index>& sizes,
                             Index count, distributed::Allreduce& group) {
  Index num_before = 0;
  for (int rank = 0; rank < group.rank(); ++rank) {
    num_before += sizes[static_cast<std::size_t>(rank)];
  }
  const Index num_own = std::clamp(count - num_before, Index{0}, own.cols());
  const Matrix first = own.leftCols(num_own);
  ByteWriter writer;
  writer.write_vector(Vector(first.reshaped()));
  std::vector<double> numbers;
  gather(group, std::move(writer).bytes(), [&](ByteReader reader, int) {
    const auto part = reader.read_vector<Vector>();
    numbers.insert(numbers.end(), part.begin(), part.end());
  });
  return Eigen::Map<const Matrix>(
      numbers.data(), own.rows(),
      static_cast<Index>(numbers.size()) / std::max(own.rows(), Index{1}));
}

TrainingData read_rank_data(const TrainingJob& job) {
  const TrainOptions& options = job.options;
  TrainingData data = read_instances(options, job.global);
  const auto compare = [&] {
    auto ranks = watch_ranks(job);
    require_matching_data(options, data.train, ranks);
    if (!options.has_own_data()) {
      return totals_of(data.train, options.params.task);
    }
    return unite_totals(data.train, options.params.task, ranks);
  };
  const DataTotals totals = compare();
  if (options.has_own_data()) {
    data.rank_sizes = totals.sizes;
    // A LIBSVM file may lack the last features of others.
    widen(data.train, totals.num_features);
  }
  index_and_partition(data, totals, options, job.global.console);
  return data;
}

void prepare_rank_data(TrainingData& data, const TrainingJob& job) {
  if (data.rank_sizes.empty()) {
    return prepare_training_data(data, job.options, job.global);
  }
  split_and_encode(data, job.options, job.global);
  auto ranks = watch_ranks(job);
  data.num_instances =
      std::accumulate(data.rank_sizes.begin(), data.rank_sizes.end(), Index{0});
  data.first_instances.features =
      gather_first_features(data.train.first_features(kNumFirstInstances),
                            data.rank_sizes, kNumFirstInstances, ranks);
  scale(data, job.options, job.global.console, &ranks);
}

}  // namespace mlp::cli
