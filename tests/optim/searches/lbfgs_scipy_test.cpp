// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "../../../core/byte_stream.hpp"
#include "../../../optim/lbfgs.hpp"
#include "../test_objectives.hpp"

namespace mlp::optim {

namespace {

using testing::Quadratic;
using testing::Rosenbrock;

// SciPy adds in another order; 20 iterations amplify that.
constexpr double kPathTolerance = 1e-6;

LbfgsOptions scipy_options(double gradient_tol, Index max_iter = 1000) {
  LbfgsOptions options;
  options.max_iter = max_iter;
  options.gradient_tol = gradient_tol;
  return options;
}

Vector start() { return Vector{{-1.2, 1.0}}; }

}  // namespace

TEST_SUITE("optim/lbfgs as SciPy") {
  // The values are those of scipy.optimize.minimize(rosen, [-1.2, 1],
  // method="L-BFGS-B") in SciPy 1.17 after each iteration.
  TEST_CASE("has the path of SciPy's L-BFGS-B") {
    const std::vector<double> expected = {
        24.199999999999996,     4.225209187581896,     4.127275523932904,
        4.120517097042244,      4.115574725748626,     4.087545016268825,
        4.032006831717487,      3.9178414682987954,    3.7759170106180417,
        3.471262006047005,      2.928030306390301,     2.4668434368897314,
        1.9922722703038203,     1.711243150084933,     1.1323166371013627,
        1.0948584835979003,     1.0499006194888543,    0.8957994310505121,
        0.7327864856748777,     0.5541033653044509,    0.3989229609812694,
        0.33241265291105926,    0.26782557601825074,   0.17085486442018114,
        0.1280431013942852,     0.08868661126240414,   0.05213101215891186,
        0.03690722687260151,    0.016578694767958816,  0.007624891699592567,
        0.0034000127896177163,  0.0014772619093437651, 0.000189126641769695,
        1.5919897854388563e-05, 5.189496750595571e-07, 5.298560597067601e-10,
        2.807649849005401e-12};
    Rosenbrock rosenbrock;
    Vector x = start();

    const Summary summary = minimize_lbfgs(rosenbrock, x, scipy_options(1e-5));

    REQUIRE(summary.objective_history.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(summary.objective_history[i] ==
            doctest::Approx(expected[i]).epsilon(kPathTolerance));
    }
    CHECK(summary.evaluations == 44);
  }

  TEST_CASE("stops where no element of the gradient is above gradientTol") {
    // The norm of the gradient is 5, its largest element 4.
    Quadratic bowl{Vector{{1.0, 1.0}}};
    Vector x{{3.0, 4.0}};

    const Summary summary = minimize_lbfgs(bowl, x, scipy_options(4.0));

    CHECK(summary.total_iterations() == 0);
    CHECK(summary.convergence_reason == ConvergenceReason::kGradientConverged);
    Vector same{{3.0, 4.0}};
    CHECK(minimize_lbfgs(bowl, same, scipy_options(3.999)).total_iterations() >
          0);
  }

  TEST_CASE("stops where an iteration lowers a large value by too little") {
    // From 1e9 + 2 to 1e9 + 0.5: a share of 1.5e-9.
    Quadratic bowl{Vector{{1.0}}, 1e9};
    Vector x{{2.0}};

    const Summary summary = minimize_lbfgs(bowl, x, scipy_options(0.0));

    CHECK(summary.total_iterations() == 1);
    CHECK(summary.convergence_reason ==
          ConvergenceReason::kFunctionValuesConverged);
  }

  TEST_CASE("does not read tol") {
    Rosenbrock rosenbrock;
    LbfgsOptions options = scipy_options(1e-5);
    options.tol = 1e9;
    Vector x = start();

    const Summary summary = minimize_lbfgs(rosenbrock, x, options);

    CHECK(summary.total_iterations() > 20);
    CHECK(std::abs(x[0] - 1.0) < kPathTolerance * 1e3);
  }

  TEST_CASE("resumes to the same bits") {
    Rosenbrock rosenbrock;
    Vector whole = start();
    const Summary expected =
        minimize_lbfgs(rosenbrock, whole, scipy_options(1e-5));
    std::string state;
    Vector x = start();
    minimize_lbfgs(rosenbrock, x, scipy_options(1e-5, 7),
                   [&](const Iteration& iteration) {
                     ByteWriter writer;
                     iteration.solver->save(writer);
                     state = writer.bytes();
                     return true;
                   });

    ByteReader reader(state, "state");
    const Summary resumed =
        resume_lbfgs(rosenbrock, reader, x, scipy_options(1e-5));

    CHECK(x == whole);
    CHECK(resumed.objective_history == expected.objective_history);
    CHECK(resumed.convergence_reason == expected.convergence_reason);
  }
}

}  // namespace mlp::optim
