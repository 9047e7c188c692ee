// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// ONNX Runtime as a peer, called through its C interface and from the same loop
// as our own scoring, with inputs and outputs bound once: the fastest way in.
//
// The package has the shared library but no header. The interface is a table of
// functions whose order never changes; only those used are named here.

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <iostream>

#include "../../core/error.hpp"
#include "../worker/row_scoring.hpp"

namespace mlp::bench {
namespace {

/// Positions in the table of functions, version 1.
enum Function : std::size_t {
  kGetErrorMessage = 2,
  kCreateEnv = 3,
  kCreateSession = 7,
  kRun = 9,
  kCreateSessionOptions = 10,
  kSetSessionGraphOptimizationLevel = 23,
  kSetIntraOpNumThreads = 24,
  kCreateTensorWithDataAsOrtValue = 49,
  kCreateCpuMemoryInfo = 69,
};

using Handle = void*;

/// The table of functions of a loaded ONNX Runtime.
class OnnxApi {
 public:
  explicit OnnxApi(const std::string& library) {
    void* handle = dlopen(library.c_str(), RTLD_NOW);
    if (!handle) throw ResourceError(library, "could not be loaded");
    const auto get_base =
        reinterpret_cast<const Base* (*)()>(dlsym(handle, "OrtGetApiBase"));
    if (!get_base) throw ResourceError(library, "is no ONNX Runtime");
    functions_ = get_base()->get_api(1);
  }

  /// Calls a function of the table.
  ///
  /// \throws ResourceError with the sentence of ONNX Runtime
  template <typename... Arguments>
  void call(Function function, Arguments... arguments) const {
    const auto pointer =
        reinterpret_cast<Handle (*)(Arguments...)>(functions_[function]);
    if (const Handle status = pointer(arguments...)) {
      const auto message = reinterpret_cast<const char* (*)(Handle)>(
          functions_[kGetErrorMessage]);
      throw ResourceError("ONNX Runtime", message(status));
    }
  }

 private:
  struct Base {
    void* const* (*get_api)(std::uint32_t version);
    const char* (*get_version)();
  };

  void* const* functions_ = nullptr;
};

/// A session with one input and one output, both in our memory.
class OnnxSession {
 public:
  /// \param path  a model whose input is "features" and whose output is "raw"
  OnnxSession(const OnnxApi& api, const std::string& path, const Problem& shape,
              Index num_rows, int num_threads)
      : api_(api),
        input_(
            static_cast<std::size_t>(num_rows * shape.topology.num_features())),
        output_(
            static_cast<std::size_t>(num_rows * shape.topology.num_classes())) {
    constexpr int kWarnings = 2;
    constexpr int kAllOptimisations = 99;
    Handle environment = nullptr;
    Handle options = nullptr;
    api_.call(kCreateEnv, kWarnings, "bench", &environment);
    api_.call(kCreateSessionOptions, &options);
    api_.call(kSetIntraOpNumThreads, options, num_threads);
    api_.call(kSetSessionGraphOptimizationLevel, options, kAllOptimisations);
    api_.call(kCreateSession, environment, path.c_str(), options, &session_);
    input_value_ = bind(input_, num_rows, shape.topology.num_features());
    output_value_ = bind(output_, num_rows, shape.topology.num_classes());
  }

  /// \pre count is the size of the input
  void run(const float* rows, std::size_t count) {
    std::copy(rows, rows + count, input_.begin());
    run();
  }

  void run() {
    const char* input_names[] = {"features"};
    const char* output_names[] = {"raw"};
    api_.call(kRun, session_, Handle{nullptr},
              static_cast<const char* const*>(input_names),
              static_cast<const Handle*>(&input_value_), std::size_t{1},
              static_cast<const char* const*>(output_names), std::size_t{1},
              &output_value_);
  }

  [[nodiscard]] std::vector<float>& input() { return input_; }
  [[nodiscard]] const std::vector<float>& output() const { return output_; }

 private:
  Handle bind(std::vector<float>& numbers, Index num_rows, Index num_columns) {
    constexpr int kArenaAllocator = 1;
    constexpr int kDefaultMemory = 0;
    constexpr int kFloat = 1;
    const std::int64_t shape[] = {num_rows, num_columns};
    Handle memory = nullptr;
    Handle value = nullptr;
    api_.call(kCreateCpuMemoryInfo, kArenaAllocator, kDefaultMemory, &memory);
    api_.call(kCreateTensorWithDataAsOrtValue, static_cast<const void*>(memory),
              static_cast<void*>(numbers.data()),
              numbers.size() * sizeof(float),
              static_cast<const std::int64_t*>(shape), std::size_t{2}, kFloat,
              &value);
    return value;
  }

  OnnxApi api_;
  std::vector<float> input_;
  std::vector<float> output_;
  Handle session_ = nullptr;
  Handle input_value_ = nullptr;
  Handle output_value_ = nullptr;
};

class OnnxScorer {
 public:
  explicit OnnxScorer(std::unique_ptr<OnnxSession> session)
      : session_(std::move(session)) {}

  void predict_raw(const float* row, float* scores) {
    session_->run(row, session_->input().size());
    std::copy(session_->output().begin(), session_->output().end(), scores);
  }

 private:
  std::unique_ptr<OnnxSession> session_;
};

class OnnxBatch final : public Task {
 public:
  OnnxBatch(const Problem& problem, std::unique_ptr<OnnxSession> session)
      : session_(std::move(session)) {
    for (std::size_t i = 0; i < session_->input().size(); ++i) {
      session_->input()[i] = static_cast<float>(problem.features.data()[i]);
    }
  }

  Sample run(long repeats) override {
    const Stopwatch watch;
    for (long i = 0; i < repeats; ++i) session_->run();
    Sample sample{watch.elapsed(), {}, {}};
    double sum = 0.0;
    for (const float score : session_->output()) {
      sum += static_cast<double>(score) * static_cast<double>(score);
    }
    sample.values = {{"score_norm", std::sqrt(sum)}};
    return sample;
  }

 private:
  std::unique_ptr<OnnxSession> session_;
};

/// LIBRARY MODEL LAYERS MODE, and ROWS THREADS for the mode "batch".
std::unique_ptr<Task> make_task(const Arguments& arguments) {
  const OnnxApi api(word_argument(arguments, 0, "LIBRARY"));
  const std::string path = word_argument(arguments, 1, "MODEL");
  const std::vector<Index> layers =
      parse_layers(word_argument(arguments, 2, "LAYERS"));
  const std::string mode = word_argument(arguments, 3, "MODE");
  const bool is_batch = mode == "batch";
  const Index num_rows =
      is_batch ? count_argument(arguments, 4, "ROWS") : kNumScoredRows;
  const long num_threads =
      is_batch ? count_argument(arguments, 5, "THREADS") : 1;
  const Problem problem = random_problem(layers, num_rows);
  auto session =
      std::make_unique<OnnxSession>(api, path, problem, is_batch ? num_rows : 1,
                                    static_cast<int>(num_threads));
  if (is_batch) {
    return std::make_unique<OnnxBatch>(problem, std::move(session));
  }
  return make_row_scoring<float>(problem, OnnxScorer(std::move(session)), mode);
}

}  // namespace
}  // namespace mlp::bench

int main(int num_words, char** words) {
  try {
    const mlp::bench::Arguments arguments(words + 1, words + num_words);
    mlp::bench::serve(*mlp::bench::make_task(arguments));
  } catch (const std::exception& error) {
    std::cerr << "mlp_onnx_bench: " << error.what() << '\n';
    return 1;
  }
}
