// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.LongParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.Params;

/**
 * The hyper-parameters of a training that an estimator and its model have, by the names of
 * Spark's MultilayerPerceptronClassifier. They have no defaults here: one that is not set has
 * Spark's.
 */
public interface MlpParams extends Params {
  // Spark knows a Param by the uid of its stage and its name, so that each call may make it
  // again.

  /** The Param of the largest number of iterations, or of epochs with sgd, adam and adamw. */
  default IntParam maxIter() {
    return new IntParam(this, "maxIter", "maximum number of iterations");
  }

  /** The Param of the tolerance at which the iterations converge. */
  default DoubleParam tol() {
    return new DoubleParam(this, "tol", "convergence tolerance of the iterations");
  }

  /** The Param of the seed of the initial weights. */
  default LongParam seed() {
    return new LongParam(this, "seed", "seed of the initial weights");
  }

  /** The Param of the rows of a block: the objective is a mean over blocks. */
  default IntParam blockSize() {
    return new IntParam(this, "blockSize", "rows whose gradients are summed first");
  }

  /** The Param of the solver. */
  default Param<String> solver() {
    return new Param<>(this, "solver", "l-bfgs, gd, sgd, adam or adamw");
  }

  /** The Param of the step size, which l-bfgs does not use. */
  default DoubleParam stepSize() {
    return new DoubleParam(this, "stepSize", "step size of the solvers but l-bfgs");
  }

  /** The Param of the weights that a training starts from; without it, seed draws them. */
  default Param<Vector> initialWeights() {
    return new Param<>(this, "initialWeights", "weights that the training starts from");
  }
}
