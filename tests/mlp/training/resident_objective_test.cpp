// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../../distributed/timeline.hpp"
#include "../../../mlp/backend/reference_backend.hpp"
#include "../../../mlp/backend/reference_batch_evaluator.hpp"
#include "../../../mlp/backend/resident_training.hpp"
#include "../../../mlp/classifier.hpp"
#include "../../../mlp/objective/penalized_objective.hpp"
#include "../../../mlp/objective/training_objective.hpp"
#include "../../../optim/gradient_descent/gradient_descent.hpp"
#include "../../../optim/lbfgs/host_lbfgs_vectors.hpp"
#include "../backend/forwarding_backend.hpp"
#include "support/rings.hpp"

namespace {

using namespace mlp;
using mlp::testing::kSolvers;

/// The objective of a resident training, computed by the reference backend.
class FakeObjective {
 public:
  explicit FakeObjective(ResidentObjective resident)
      : resident_(std::move(resident)),
        plain_(resident_.topology, resident_.instances,
               {&reference_backend(), 1}),
        penalized_(plain_, resident_.penalty) {}

  double value_and_gradient(const Vector& x, Vector& gradient) {
    if (resident_.is_stopping()) throw optim::Interrupted();
    return penalized_.value_and_gradient(x, gradient);
  }

 private:
  ResidentObjective resident_;
  TrainingObjective plain_;
  PenalizedObjective<TrainingObjective> penalized_;
};

/// Vectors that own their objective.
template <template <typename> typename Vectors, typename... Arguments>
auto with_objective(const ResidentObjective& resident,
                    const Arguments&... arguments) {
  // The objectives live as long as the program, as the tests do.
  static std::vector<std::unique_ptr<FakeObjective>> objectives;
  objectives.push_back(std::make_unique<FakeObjective>(resident));
  return std::make_unique<Vectors<FakeObjective>>(*objectives.back(),
                                                  arguments...);
}

/// Mini-batches by the reference evaluator, in double precision.
class FakeBatchSolver final : public BatchSolver {
 public:
  FakeBatchSolver(ResidentObjective resident, const BatchRule& rule)
      : resident_(std::move(resident)),
        evaluator_(reference_backend().make_batch_evaluator(
            resident_.topology, resident_.frozen,
            std::type_identity<double>{})),
        rule_(make_rule(rule, resident_.topology.num_weights())) {
    evaluator_->bind(resident_.instances);
  }

  void start(const Vector& weights, const Vector& statistics) override {
    weights_ = weights;
    statistics_ = statistics;
    gradient_.resize(weights.size());
  }

  void step(const Step& step) override {
    if (resident_.is_stopping()) throw optim::Interrupted();
    double loss = evaluator_->value_and_gradient(
        {step.instances, step.dropout_seed}, weights_.data(),
        statistics_.data(), gradient_.data(), pool_);
    loss += apply_penalty(resident_.penalty, weights_, gradient_);
    loss_sum_ += static_cast<double>(step.instances.size()) * loss;
    std::visit(
        [&](auto& rule) {
          rule.begin_step(step.step_size);
          for (const auto& range : resident_.penalty.ranges) {
            rule.update(range, weights_, gradient_);
          }
        },
        rule_);
  }

  void set_loss_sum(double sum) override { loss_sum_ = sum; }
  [[nodiscard]] double loss_sum() const override { return loss_sum_; }
  void copy_out(Vector& weights, Vector& statistics) const override {
    weights = weights_;
    statistics = statistics_;
  }
  void save(ByteWriter& state) const override {
    state.write_vector(weights_);
    state.write_vector(statistics_);
    std::visit([&](const auto& rule) { rule.save(state); }, rule_);
  }
  void restore(ByteReader& state) override {
    weights_ = optim::read_flat<double>(state, weights_.size());
    statistics_ = state.read_vector<Vector>(statistics_.size(), "statistics");
    std::visit([&](auto& rule) { rule.restore(state); }, rule_);
  }
  [[nodiscard]] Index num_steps() const override {
    return std::visit([](const auto& rule) { return rule.num_steps(); }, rule_);
  }

 private:
  using Rule = std::variant<optim::Sgd<double>, optim::Adam<double>>;

  static Rule make_rule(const BatchRule& rule, Index num_weights) {
    if (const auto* options = std::get_if<optim::SgdOptions>(&rule)) {
      return optim::Sgd<double>(num_weights, *options);
    }
    return optim::Adam<double>(num_weights, std::get<optim::AdamOptions>(rule));
  }

  ResidentObjective resident_;
  std::unique_ptr<BatchEvaluator<double>> evaluator_;
  Rule rule_;
  ThreadPool pool_{1};
  Vector weights_, statistics_, gradient_;
  double loss_sum_ = 0.0;
};

/// The reference backend, which keeps the vectors of solvers itself.
class FakeBackend final : public testing::ForwardingBackend,
                          public ResidentTraining {
 public:
  [[nodiscard]] const char* name() const override { return "fake"; }
  [[nodiscard]] const ResidentTraining* resident_training() const override {
    return this;
  }
  [[nodiscard]] std::unique_ptr<optim::LbfgsVectors> make_lbfgs_vectors(
      const ResidentObjective& objective, Index history_size) const override {
    ++num_made;
    return with_objective<optim::HostLbfgsVectors>(objective, history_size);
  }
  [[nodiscard]] std::unique_ptr<optim::GradientDescentVectors>
  make_gradient_descent_vectors(
      const ResidentObjective& objective) const override {
    ++num_made;
    return with_objective<optim::HostGradientDescentVectors>(objective);
  }
  [[nodiscard]] std::unique_ptr<BatchSolver> make_batch_solver(
      const ResidentObjective& objective,
      const BatchRule& rule) const override {
    ++num_made;
    return std::make_unique<FakeBatchSolver>(objective, rule);
  }

  mutable int num_made = 0;
};

datasets::Dataset make_data() {
  datasets::Dataset data;
  data.features = Matrix::Random(3, 40);
  data.labels.resize(40);
  for (Index i = 0; i < 40; ++i) {
    data.labels[i] = data.features(0, i) > data.features(1, i) ? 1.0 : 0.0;
  }
  return data;
}

Params make_params(Solver solver) {
  Params params;
  params.layers = {3, 4, 2};
  params.seed = 7;
  params.solver = solver;
  params.max_iter = 8;
  params.batch_size = 16;
  params.reg_param = 0.01;
  if (solver != Solver::kLbfgs) params.clip_norm = 0.5;
  if (has_mini_batches(solver)) {
    params.freeze = {1};
  }
  return params;
}

/// Fits the same data in each call.
FitResult fit(const Backend& backend, const Params& params,
              const FitOptions& given = {}) {
  std::srand(1);
  FitOptions options = given;
  options.backend = &backend;
  return Classifier(params).fit(make_data(), options);
}

TEST_SUITE("mlp/training/resident_objective") {
  TEST_CASE("follows the same path as vectors of the host") {
    for (const Solver solver : kSolvers) {
      CAPTURE(static_cast<int>(solver));
      const FakeBackend fake;
      const FitResult host = fit(reference_backend(), make_params(solver));

      const FitResult resident = fit(fake, make_params(solver));

      CHECK(fake.num_made == 1);
      CHECK(resident.model.weights() == host.model.weights());
      CHECK(resident.summary.objective_history ==
            host.summary.objective_history);
      CHECK(resident.summary.evaluations == host.summary.evaluations);
      CHECK(resident.summary.convergence_reason ==
            host.summary.convergence_reason);
    }
  }

  TEST_CASE("writes the states that vectors of the host write") {
    for (const Solver solver : kSolvers) {
      CAPTURE(static_cast<int>(solver));
      std::vector<std::string> states[2];
      const FakeBackend fake;
      const Backend* const backends[] = {&reference_backend(), &fake};
      for (int i = 0; i < 2; ++i) {
        FitOptions options;
        options.checkpoint.is_due = [](Index, bool) { return true; };
        options.checkpoint.write = [&](const std::string& state) {
          states[i].push_back(state);
        };
        static_cast<void>(fit(*backends[i], make_params(solver), options));
      }

      CHECK(states[0].size() > 4);
      CHECK(states[0] == states[1]);
    }
  }

  TEST_CASE("resumes a state of the host") {
    for (const Solver solver : kSolvers) {
      CAPTURE(static_cast<int>(solver));
      std::string state;
      FitOptions options;
      options.checkpoint.is_due = [](Index iterations, bool is_mid_epoch) {
        return iterations == 3 && !is_mid_epoch;
      };
      options.checkpoint.write = [&](const std::string& bytes) {
        state = bytes;
      };
      const FitResult whole =
          fit(reference_backend(), make_params(solver), options);
      FitOptions resumed;
      resumed.checkpoint.state = state;

      const FitResult rest = fit(FakeBackend(), make_params(solver), resumed);

      CHECK(rest.model.weights() == whole.model.weights());
      CHECK(rest.summary.objective_history == whole.summary.objective_history);
    }
  }

  TEST_CASE("stops early at the same weights as vectors of the host") {
    for (const Solver solver : kSolvers) {
      CAPTURE(static_cast<int>(solver));
      std::srand(2);
      const datasets::Dataset validation = make_data();
      Params params = make_params(solver);
      params.patience = 2;
      params.max_iter = 40;
      FitOptions options;
      options.validation = &validation;
      const FitResult host = fit(reference_backend(), params, options);

      const FitResult resident = fit(FakeBackend(), params, options);

      CHECK(host.summary.validation_history.size() > 2);
      CHECK(resident.summary.validation_history ==
            host.summary.validation_history);
      CHECK(resident.model.weights() == host.model.weights());
    }
  }

  TEST_CASE("ends with the last weights when the callback says so") {
    for (const Solver solver : kSolvers) {
      CAPTURE(static_cast<int>(solver));
      Vector last;
      FitOptions options;
      options.on_iteration = [&](const optim::Iteration& iteration) {
        last = iteration.x.vector();
        return iteration.iteration < 3;
      };

      const FitResult result = fit(FakeBackend(), make_params(solver), options);

      CHECK(result.summary.total_iterations() == 3);
      CHECK(result.model.weights() == last);
    }
  }

  TEST_CASE("keeps a training with a timeline on the host") {
    for (const Solver solver : kSolvers) {
      CAPTURE(static_cast<int>(solver));
      const FakeBackend fake;
      distributed::Timeline timeline(0);
      FitOptions options;
      options.distribution.timeline = &timeline;

      static_cast<void>(fit(fake, make_params(solver), options));

      CHECK(fake.num_made == 0);
    }
  }

  TEST_CASE("stops when the caller asks") {
    for (const Solver solver : kSolvers) {
      CAPTURE(static_cast<int>(solver));
      std::atomic<bool> is_stopping{false};
      FitOptions options;
      options.is_stopping = &is_stopping;
      options.on_iteration = [&](const optim::Iteration& iteration) {
        is_stopping = iteration.iteration == 2;
        return true;
      };

      const FitResult result = fit(FakeBackend(), make_params(solver), options);

      CHECK(result.summary.convergence_reason ==
            optim::ConvergenceReason::kStoppedByCallback);
      CHECK(result.summary.total_iterations() == 2);
    }
  }
}

}  // namespace
