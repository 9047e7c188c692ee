// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Text to matrix: from bytes in memory, or a file, to a dataset, allocations included.

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "../../core/error.hpp"
#include "../../datasets/csv/csv.hpp"
#include "../../datasets/libsvm/libsvm.hpp"
#include "../../datasets/load/load.hpp"
#include "../worker/problem.hpp"
#include "tasks.hpp"

namespace mlp::bench {
namespace {

void append(std::string& text, const char* format, double value) {
  std::array<char, 32> digits{};
  const int size = std::snprintf(digits.data(), digits.size(), format, value);
  text.append(digits.data(), static_cast<std::size_t>(size));
}

/// A table of numbers, the label last.
///
/// \param scale   what the features, uniform in [0, 1), are multiplied by
/// \param format  how printf writes one
std::string csv_text(const Problem& problem, double scale, const char* format) {
  std::string text;
  for (Index i = 0; i < problem.features.cols(); ++i) {
    for (const double value : problem.features.col(i)) {
      append(text, format, scale * value);
      text += ',';
    }
    append(text, "%.0f", problem.labels[static_cast<std::size_t>(i)]);
    text += '\n';
  }
  return text;
}

std::string libsvm_text(const Problem& problem) {
  std::string text;
  for (Index i = 0; i < problem.features.cols(); ++i) {
    append(text, "%.0f", problem.labels[static_cast<std::size_t>(i)]);
    for (Index j = 0; j < problem.features.rows(); ++j) {
      append(text, " %.0f", static_cast<double>(j + 1));
      append(text, ":%.6f", problem.features(j, i));
    }
    text += '\n';
  }
  return text;
}

class Reading final : public Task {
 public:
  Reading(const std::string& format, Index num_instances)
      : is_libsvm_(format == "libsvm") {
    const Problem problem = random_problem({784, 10}, num_instances);
    num_values_ = static_cast<double>(problem.features.size());
    if (is_libsvm_) {
      text_ = libsvm_text(problem);
    } else if (format == "csv") {
      text_ = csv_text(problem, 1.0, "%.6f");
    } else if (format == "integer_csv") {
      text_ = csv_text(problem, 255.0, "%.0f");
    } else {
      throw ParamError("FORMAT must be csv, integer_csv or libsvm; got " +
                       format);
    }
    options_.label = "-1";
  }

  Sample run(long repeats) override {
    double sum = 0.0;
    const Stopwatch watch;
    for (long i = 0; i < repeats; ++i) sum = read();
    const Duration duration = watch.elapsed();
    const double per_second =
        static_cast<double>(repeats) / duration.cpu_seconds;
    Sample sample{duration, {}, {}};
    sample.values = {
        {"sum", sum},
        {"cpu_bytes", static_cast<double>(text_.size()) * per_second},
        {"cpu_values", num_values_ * per_second}};
    return sample;
  }

 private:
  double read() const {
    const datasets::Dataset data =
        is_libsvm_ ? datasets::read_libsvm(text_, "text")
                   : datasets::read_csv(text_, "text", options_).dataset;
    return data.features(0, 0) + data.features(783, data.num_instances() - 1);
  }

  bool is_libsvm_;
  std::string text_;
  double num_values_ = 0.0;
  datasets::CsvOptions options_;
};

/// A data file of any format. All its columns are features.
class FileReading final : public Task {
 public:
  FileReading(std::string path, int num_threads) : path_(std::move(path)) {
    options_.csv.label_rule = datasets::LabelRule::kAbsent;
    options_.csv.num_threads = num_threads;
  }

  Sample run(long repeats) override {
    double sum = 0.0;
    const Stopwatch watch;
    for (long i = 0; i < repeats; ++i) {
      sum = datasets::load(path_, options_).dataset.features(0, 0);
    }
    Sample sample{watch.elapsed(), {}, {}};
    sample.values = {{"sum", sum}};
    return sample;
  }

 private:
  std::string path_;
  datasets::LoadOptions options_;
};

}  // namespace

std::unique_ptr<Task> make_file_reading(const Arguments& arguments) {
  return std::make_unique<FileReading>(
      word_argument(arguments, 0, "FILE"),
      static_cast<int>(count_argument(arguments, 1, "THREADS")));
}

std::unique_ptr<Task> make_reading(const Arguments& arguments) {
  return std::make_unique<Reading>(word_argument(arguments, 0, "FORMAT"),
                                   count_argument(arguments, 1, "INSTANCES"));
}

}  // namespace mlp::bench
