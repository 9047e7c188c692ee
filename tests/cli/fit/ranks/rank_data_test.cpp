// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../cli/fit/ranks/rank_data.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../../../../datasets/select.hpp"
#include "../../../../distributed/thread_group.hpp"
#include "../../../distributed/ranks.hpp"

namespace mlp::cli {

namespace {

using datasets::Dataset;
using datasets::LabelIndex;
using distributed::testing::run_ranks;

// Longer than any exchange of a test takes, however busy the machine is.
constexpr double kDeadlineSeconds = 60.0;

/// Four instances of two features, labelled by texts.
Dataset make_data() {
  Dataset data;
  data.features = Matrix{{1, 2, 3, 4}, {5, 6, 7, 8}};
  data.label_texts = {"a", "b", "b", "c"};
  data.feature_names = {"x", "y"};
  data.label_name = "z";
  return data;
}

/// What two ranks throw if the second has other options or data.
std::vector<std::string> compare(
    const std::string& data_file,
    const std::function<void(TrainOptions&, Dataset&)>& change) {
  distributed::ThreadGroup group(2, kDeadlineSeconds);
  return run_ranks(2, [&](int rank) {
    TrainOptions options;
    options.given_data = {data_file};
    Dataset data = make_data();
    if (rank == 1) change(options, data);
    require_matching_data(options, data, group.rank(rank));
  });
}

void check_refused(const std::string& data_file,
                   const std::function<void(TrainOptions&, Dataset&)>& change,
                   const std::string& sentence) {
  CHECK(compare(data_file, change) ==
        std::vector<std::string>(2, "rank 1: has " + sentence));
}

constexpr const char* kOne = "data.csv";
constexpr const char* kEach = "part-{rank}.csv";

/// What a rank of two makes of its part of make_data(), the first two instances or
/// the last.
template <typename Result>
std::vector<Result> on_parts(
    const std::function<Result(const Dataset&, distributed::Allreduce&)>& f) {
  distributed::ThreadGroup group(2, kDeadlineSeconds);
  std::vector<Result> results(2);
  const auto errors = run_ranks(2, [&](int rank) {
    const Dataset part = datasets::select_run(make_data(), 2 * rank, 2);
    results[static_cast<std::size_t>(rank)] = f(part, group.rank(rank));
  });
  CHECK(errors == std::vector<std::string>(2));
  return results;
}

}  // namespace

TEST_SUITE("cli/fit/ranks/rank_data") {
  TEST_CASE("accepts equal data, and parts with the same columns") {
    const auto keep = [](TrainOptions&, Dataset&) {};
    const auto shorten = [](TrainOptions&, Dataset& data) {
      data = datasets::select_run(data, 0, 1);
    };

    CHECK(compare(kOne, keep) == std::vector<std::string>(2));
    CHECK(compare(kEach, shorten) == std::vector<std::string>(2));
  }

  TEST_CASE("names the first option of the preparation that differs") {
    const std::string advice = "; give every rank the same options";
    check_refused(
        kOne, [](TrainOptions& options, Dataset&) { options.scale = 2; },
        "'scale 2', but rank 0 has 'scale 1'" + advice);
    check_refused(
        kOne,
        [](TrainOptions& options, Dataset&) {
          options.split = {0.5, 0.5};
        },
        "'split [0.5, 0.5]', but rank 0 has 'split []'" + advice);
    check_refused(
        kOne,
        [](TrainOptions& options, Dataset&) { options.given_data = {kEach}; },
        "'data a file for each rank', but rank 0 has 'data one file for all "
        "ranks'" +
            advice);
  }

  TEST_CASE("names the first column that differs") {
    const std::string advice =
        "; give every rank the same columns in the same order";
    for (const char* const file : {kOne, kEach}) {
      check_refused(
          file,
          [](TrainOptions&, Dataset& data) { data.feature_names[1] = "w"; },
          "'feature 1 w', but rank 0 has 'feature 1 y'" + advice);
      check_refused(
          file,
          [](TrainOptions&, Dataset& data) {
            data.label_texts.clear();
            data.labels = Vector{{0, 1, 1, 2}};
          },
          "'labels numbers', but rank 0 has 'labels texts'" + advice);
      check_refused(
          file,
          [](TrainOptions&, Dataset& data) {
            data.features.conservativeResize(1, 4);
          },
          "'features 1', but rank 0 has 'features 2'" + advice);
    }
  }

  TEST_CASE("finds any change of data that all ranks read from one file") {
    const auto has_refused =
        [](const std::function<void(TrainOptions&, Dataset&)>& change) {
          const std::string sentence = compare(kOne, change)[0];
          return sentence.starts_with("rank 1: differs from rank 0 in '") &&
                 sentence.ends_with(
                     "; let all ranks read the same file, or name the file of "
                     "each rank with {rank}");
        };
    CHECK(has_refused(
        [](TrainOptions&, Dataset& data) { data.features(1, 2) = -7; }));
    CHECK(has_refused(
        [](TrainOptions&, Dataset& data) { data.label_texts[3] = "d"; }));
    CHECK(has_refused([](TrainOptions&, Dataset& data) {
      std::swap(data.label_texts[0], data.label_texts[1]);
    }));
    CHECK(has_refused([](TrainOptions&, Dataset& data) {
      data.stored_zeros.push_back({1, 1});
    }));
  }

  TEST_CASE("lets a LIBSVM file of a rank lack the last features") {
    CHECK(compare(kEach, [](TrainOptions&, Dataset&) {}) ==
          std::vector<std::string>(2));
    distributed::ThreadGroup group(2, kDeadlineSeconds);
    const auto errors = run_ranks(2, [&](int rank) {
      TrainOptions options;
      options.given_data = {"part-{rank}.svm"};
      Dataset data;
      data.features = Matrix::Zero(2 + rank, 1);
      data.labels = Vector::Zero(1);
      data.vector_kind = datasets::VectorKind::kSparse;
      require_matching_data(options, data, group.rank(rank));
      CHECK(unite_totals(data, Task::kClassification, group.rank(rank))
                .num_features == 3);
    });

    CHECK(errors == std::vector<std::string>(2));
  }

  TEST_CASE("orders the labels of all parts as those of the whole") {
    const auto totals = on_parts<DataTotals>(
        [](const Dataset& part, distributed::Allreduce& group) {
          return unite_totals(part, Task::kClassification, group);
        });

    for (const DataTotals& united : totals) {
      CHECK(LabelIndex::fit(united.labels).names ==
            LabelIndex::fit(make_data().label_texts).names);
      CHECK(united.sizes == std::vector<Index>{2, 2});
      CHECK(united.num_features == 2);
    }
  }

  TEST_CASE("takes the largest label of all parts") {
    const auto totals = on_parts<DataTotals>(
        [](const Dataset& part, distributed::Allreduce& group) {
          Dataset own = part;
          own.label_texts.clear();
          own.labels = Vector::Constant(2, group.rank() == 0 ? 4 : 1);
          return unite_totals(own, Task::kClassification, group);
        });

    CHECK(totals[0].num_classes == 5);
    CHECK(totals[1].num_classes == 5);
    CHECK(totals[0].numbers.counts ==
          std::vector<datasets::NumberCount>{{1, 2}, {4, 2}});
    CHECK(totals[1].numbers.counts == totals[0].numbers.counts);
  }

  TEST_CASE("gathers the first instances over the bounds of the parts") {
    const auto first = on_parts<Matrix>(
        [](const Dataset& part, distributed::Allreduce& group) {
          return gather_first_features(part.features, {2, 2}, 3, group);
        });

    CHECK(first[0] == make_data().features.leftCols(3));
    CHECK(first[1] == first[0]);
  }
}

}  // namespace mlp::cli
