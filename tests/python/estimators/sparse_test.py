# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices that do not fit into memory with their zeros: the fit of the dense matrix."""
import subprocess
import sys

import numpy as np
import pytest

import mlp
from mlp import _core, _estimator
from mlp.sklearn import MLPClassifier as TheirClassifier

sparse = pytest.importorskip("scipy.sparse")


@pytest.fixture
def little_memory(monkeypatch):
    """Sparse matrices stay sparse, and are scored in parts of a few rows."""
    monkeypatch.setattr(_core, "stays_sparse", lambda *size: True)
    monkeypatch.setattr(_estimator, "NUMBERS_AT_ONCE", 200)


@pytest.fixture(scope="module")
def table():
    """A matrix, and labels of three classes."""
    random = np.random.default_rng(3)
    X = sparse.random(300, 12, density=0.3, format="csr", random_state=4)
    scores = X @ random.normal(size=(12, 3))
    return X, np.argmax(scores, axis=1)


def fitted(estimator, X, y, **arguments):
    return estimator.fit(X, y, **arguments)


def weights(estimator):
    return estimator.model_.weights


@pytest.mark.parametrize("solver", ["l-bfgs", "gd", "adam"])
def test_trains_as_the_dense_matrix(table, little_memory, solver):
    X, y = table
    one = mlp.MLPClassifier(layers=[12, 5, 3], solver=solver, max_iter=1, seed=7)
    dense = fitted(one, X.toarray(), y)
    expected = weights(dense).copy()

    found = fitted(one, X, y)

    assert np.array_equal(weights(found), expected)
    assert found.n_features_in_ == 12


def test_takes_weights_and_an_evaluation_set(table, little_memory):
    X, y = table
    sample_weight = np.linspace(0.5, 2, 300)
    one = mlp.MLPClassifier(layers=[12, 5, 3], max_iter=20, patience=3, seed=7)
    arguments = {"sample_weight": sample_weight, "eval_set": (X[:50], y[:50])}
    expected = weights(fitted(one, X.toarray(), y, **arguments)).copy()

    assert np.array_equal(weights(fitted(one, X, y, **arguments)), expected)


@pytest.mark.parametrize("effort", ["quick", "standard"])
def test_chooses_the_network_of_the_dense_matrix(table, little_memory, effort):
    X, y = table
    one = mlp.MLPClassifier(effort=effort, seed=1)
    dense = fitted(one, X.toarray(), y).model_

    found = fitted(one, X, y).model_

    assert found.layers == dense.layers
    assert np.allclose(found.predict_proba(X.toarray()), dense.predict_proba(X.toarray()))


def test_scores_in_parts_as_the_dense_matrix(table, little_memory):
    X, y = table
    one = fitted(mlp.MLPClassifier(layers=[12, 5, 3], max_iter=5), X, y)

    for name in ("predict", "predict_proba", "decision_function", "hidden_output"):
        score = getattr(one, name)
        assert np.allclose(score(X), score(X.toarray()), rtol=1e-14, atol=0), name
    assert one.score(X, y) == one.score(X.toarray(), y)


def test_regression(table, little_memory):
    X, _ = table
    y = np.asarray(X.sum(axis=1)).ravel()
    one = mlp.MLPRegressor(layers=[12, 5, 1], max_iter=20, seed=2)
    expected = fitted(one, X.toarray(), y).predict(X.toarray())

    assert np.array_equal(fitted(one, X, y).predict(X), expected)


@pytest.mark.parametrize("solver", ["lbfgs", "adam"])
def test_in_scikit_learns_words(table, little_memory, solver):
    pytest.importorskip("sklearn")
    X, y = table
    options = {"solver": solver, "max_iter": 3, "random_state": 1}
    one = TheirClassifier(hidden_layer_sizes=(4,), early_stopping=solver == "adam", **options)
    expected = fitted(one, X.toarray(), y).coefs_

    found = fitted(one, X, y).coefs_

    assert all(np.allclose(a, b, rtol=1e-12) for a, b in zip(found, expected))


@pytest.mark.parametrize("convert", ["tocsc", "tocoo", "tolil"])
def test_takes_other_formats_and_repeated_places(table, little_memory, convert):
    X, y = table
    repeated = sparse.coo_matrix(
        (np.ones(3), ([0, 0, 1], [2, 2, 5])), shape=X.shape
    )
    doubled = getattr(X + repeated.tocsr(), convert)()
    one = mlp.MLPClassifier(layers=[12, 5, 3], max_iter=3)
    expected = weights(fitted(one, doubled.toarray(), y)).copy()

    assert np.array_equal(weights(fitted(one, doubled, y)), expected)
    booleans = fitted(one, X.astype(bool), y)
    assert np.array_equal(weights(booleans), weights(fitted(one, X.toarray() != 0, y)))


def test_refuses_what_the_dense_matrix_refuses(table, little_memory):
    X, y = table
    one = mlp.MLPClassifier(layers=[12, 5, 3], max_iter=3)
    broken = X.copy()
    broken.data[0] = np.nan
    with pytest.raises(mlp.DataError, match="of row 0 is NaN"):
        one.fit(broken, y)
    with pytest.raises(mlp.DataError, match="real numbers"):
        one.fit(X.astype(complex), y)
    one.fit(X, y)
    with pytest.raises(ValueError, match="7 features"):
        one.predict(X[:, :7])


def test_a_matrix_stays_sparse_if_twice_its_dense_size_does_not_fit():
    stays_sparse = _core.stays_sparse
    size = (1000, 500)

    assert not stays_sparse(*size, num_values=900, memory_bytes=8e6)
    assert stays_sparse(*size, num_values=900, memory_bytes=7.9e6)
    assert not stays_sparse(*size, num_values=500_000, memory_bytes=7.9e6)
    assert not stays_sparse(*size, num_values=900)
    assert stays_sparse(10**9, 10**6, 900)


PROGRAM = """
import functools, resource, sys
import numpy as np, scipy.sparse, mlp
mlp._core.stays_sparse = functools.partial(mlp._core.stays_sparse, memory_bytes=1e8)
X = scipy.sparse.random(30_000, 5_000, density=0.001, format="csr", random_state=1)
y = (np.asarray(X[:, :100].sum(axis=1)).ravel() > 0).astype(int)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
one = mlp.MLPClassifier(layers=[5_000, 2, 2], max_iter=2, n_jobs=1).fit(X, y)
one.predict(X)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3)
"""


def test_needs_no_memory_for_the_zeros():
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM], check=True,
                          capture_output=True, text=True)

    # With zeros the matrix has 1,200 MB.
    assert float(done.stdout) < 400
