// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// A model file in the page cache: loading it, saving it, and reading its bytes
// alone. The memory counts the process that has saved the model and loads it again.

#include <sys/resource.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../../mlp/model_json.hpp"
#include "../worker/problem.hpp"
#include "tasks.hpp"

namespace mlp::bench {
namespace {

/// A model of random weights, as if after a training of no iteration.
ModelDocument random_document(const std::vector<Index>& layers) {
  Problem problem = random_problem(layers, 1);
  Params params;
  params.layers = layers;
  return {Model(problem.topology, std::move(problem.weights)),
          std::move(params),
          {},
          1,
          {},
          {}};
}

WeightsEncoding parse_encoding(const std::string& word) {
  if (word == "decimal") return WeightsEncoding::kDecimal;
  if (word == "base64") return WeightsEncoding::kBase64;
  throw ParamError("ENCODING must be decimal or base64; got " + word);
}

class ModelFile final : public Task {
 public:
  ModelFile(const std::vector<Index>& layers, std::string path,
            WeightsEncoding encoding, std::string work)
      : document_(random_document(layers)),
        path_(std::move(path)),
        encoding_(encoding),
        work_(std::move(work)) {
    if (work_ != "load" && work_ != "save" && work_ != "read") {
      throw ParamError("WORK must be load, save or read; got " + work_);
    }
    save_model(path_, *document_, encoding_);
    if (work_ != "save") document_.reset();
  }

  Sample run(long repeats) override {
    double num_bytes = 0.0;
    const Stopwatch watch;
    for (long i = 0; i < repeats; ++i) num_bytes = work();
    const auto elapsed = watch.elapsed();
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const double max_rss_bytes = 1024.0 * static_cast<double>(usage.ru_maxrss);
    return {
        elapsed, {{"size", num_bytes}, {"max_rss_bytes", max_rss_bytes}}, {}};
  }

 private:
  [[nodiscard]] double work() const {
    if (work_ == "load") {
      const ModelDocument document = load_model(path_);
      return static_cast<double>(document.model.weights().size());
    }
    if (work_ == "save") {
      save_model(path_, *document_, encoding_);
      return static_cast<double>(std::filesystem::file_size(path_));
    }
    return static_cast<double>(read_file<ModelError>(path_).size());
  }

  std::optional<ModelDocument> document_;  // to save
  std::string path_;
  WeightsEncoding encoding_;
  std::string work_;
};

}  // namespace

std::unique_ptr<Task> make_model_file(const Arguments& arguments) {
  return std::make_unique<ModelFile>(
      parse_layers(word_argument(arguments, 0, "LAYERS")),
      word_argument(arguments, 1, "FILE"),
      parse_encoding(word_argument(arguments, 2, "ENCODING")),
      word_argument(arguments, 3, "WORK"));
}

}  // namespace mlp::bench
