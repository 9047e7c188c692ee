# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains on the iris flowers, first with a network of mlp's choice, then as Spark does."""
import pathlib

import mlp

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"

iris = mlp.read_csv(DATA / "iris.csv", label="species")
print(f"{len(iris.y)} flowers with {', '.join(iris.feature_names)}")

estimator = mlp.MLPClassifier().fit(iris.X, iris.y)
print(f"without layers: {estimator.model_.layers}, accuracy {estimator.score(iris.X, iris.y):.4f}")

spark = mlp.MLPClassifier(layers=[4, 5, 4, 3], seed=1234).fit(iris.X, iris.y)
print(f"as Spark: {spark.total_iterations_} iterations, objective {spark.loss_:.7f}, "
      f"accuracy {spark.score(iris.X, iris.y):.4f}")
