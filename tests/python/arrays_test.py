# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What data may look like, and when it is copied."""

import numpy as np
import pytest

import mlp

LAYERS = [4, 5, 3]


def fit(features, labels) -> mlp.MLPClassifier:
    return mlp.MLPClassifier(layers=LAYERS, max_iter=10).fit(features, labels)


def test_reads_row_major_float64_in_place(iris) -> None:
    features, labels = iris
    assert fit(features, labels).bytes_copied_ == 0
    wide = np.zeros((150, 8))
    wide[:, :4] = features
    assert fit(wide[:, :4], labels).bytes_copied_ == features.nbytes


@pytest.mark.parametrize(
    "change",
    [
        np.asfortranarray,
        lambda x: np.repeat(x, 2, axis=0)[::2],
        lambda x: x[::-1][::-1],
        lambda x: np.lib.stride_tricks.as_strided(x.copy(), x.shape, x.strides),
        list,
        lambda x: x.astype(">f8"),
    ],
    ids=["column-major", "every second row", "reversed twice", "strided", "list", "big-endian"],
)
def test_the_layout_does_not_change_the_model(iris, change) -> None:
    features, labels = iris
    expected = fit(features, labels)
    ours = fit(change(features), labels)
    assert ours.model_ == expected.model_
    assert (ours.predict_proba(change(features)) == expected.predict_proba(features)).all()


def test_float32_is_read_without_rounding_again(iris) -> None:
    features, labels = iris
    small = features.astype(np.float32)
    ours = fit(small, labels)
    assert ours.bytes_copied_ == features.nbytes
    assert ours.model_ == fit(small.astype(np.float64), labels).model_


def test_reads_integers(iris) -> None:
    features, labels = iris
    whole = np.round(features * 10)
    assert fit(whole.astype(np.int32), labels).model_ == fit(whole, labels).model_


def test_reads_pandas_with_names(iris) -> None:
    pandas = pytest.importorskip("pandas")
    features, labels = iris
    frame = pandas.DataFrame(features, columns=["a", "b", "c", "d"])
    ours = fit(frame, pandas.Series(labels))
    assert ours.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert ours.model_.feature_names == ["a", "b", "c", "d"]
    assert (ours.predict(frame) == fit(features, labels).predict(features)).all()
    with pytest.raises(ValueError, match="feature names"):
        ours.predict(frame[["b", "a", "c", "d"]])


def test_reads_polars(iris) -> None:
    polars = pytest.importorskip("polars")
    features, labels = iris
    frame = polars.DataFrame({name: features[:, i] for i, name in enumerate("abcd")})
    ours = fit(frame, polars.Series(labels))
    assert ours.model_.weights.tobytes() == fit(features, labels).model_.weights.tobytes()


def test_reads_arrow_tables(iris) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    features, labels = iris
    table = pyarrow.table({name: features[:, i] for i, name in enumerate("abcd")})
    ours = fit(table, pyarrow.array(labels))
    assert ours.model_.weights.tobytes() == fit(features, labels).model_.weights.tobytes()


class Stream:
    """What another library exports: a table that can be read once."""

    def __init__(self, table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        table, self.table = self.table, None
        return table.__arrow_c_stream__(requested_schema)


def lazy_frame(table):
    polars = pytest.importorskip("polars")
    return polars.from_arrow(table).lazy()


def dataset(table):
    return pytest.importorskip("pyarrow.dataset").dataset(table)


@pytest.mark.parametrize(
    "change",
    [Stream, lazy_frame, dataset, lambda table: table.to_reader(), lambda table: table.to_batches()[0]],
    ids=["stream", "lazy frame", "dataset", "reader", "record batch"],
)
@pytest.mark.parametrize("settings", [{"layers": LAYERS}, {"effort": "quick"}], ids=str)
def test_reads_tables_of_other_kinds(iris, change, settings) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    features, labels = iris
    table = pyarrow.table({name: features[:, i] for i, name in enumerate("abcd")})
    kinds = pyarrow.array(["x", "y", None] * 50)
    if "layers" not in settings:
        table = table.append_column("kind", kinds)
    estimator = mlp.MLPClassifier(max_iter=10, seed=1, **settings)
    expected = estimator.fit(table, labels, eval_set=(table, labels))
    probabilities = expected.predict_proba(table)

    ours = mlp.MLPClassifier(max_iter=10, seed=1, **settings).fit(
        change(table), labels, eval_set=(change(table), labels)
    )

    assert list(ours.feature_names_in_) == table.column_names
    assert ours.model_.weights.tobytes() == expected.model_.weights.tobytes()
    assert (ours.predict_proba(change(table)) == probabilities).all()
    shuffled = table.select(list(reversed(table.column_names)))
    assert (ours.model_.predict_proba(change(shuffled)) == probabilities).all()


def test_reads_sparse_matrices(iris) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    features, labels = iris
    ours = fit(sparse.csr_matrix(features), labels)
    assert ours.model_ == fit(features, labels).model_
    assert (ours.predict(sparse.csc_matrix(features)) == ours.predict(features)).all()


def test_predicts_the_same_in_any_layout_and_number_of_threads() -> None:
    generator = np.random.default_rng(0)
    features = generator.normal(size=(9000, 30))
    labels = (features[:, 0] > 0).astype(int)
    estimator = mlp.MLPClassifier(layers=[30, 20, 2], max_iter=5).fit(features, labels)
    expected = estimator.predict_proba(features)
    estimator.n_jobs = 2
    assert (estimator.predict_proba(features) == expected).all()
    assert (estimator.predict_proba(np.asfortranarray(features)) == expected).all()
    one_by_one = np.vstack([estimator.predict_proba(row[None]) for row in features[:50]])
    assert (one_by_one == expected[:50]).all()


def test_scores_no_rows(iris) -> None:
    estimator = fit(*iris)
    assert estimator.model_.predict(np.empty((0, 4))).shape == (0,)
    assert estimator.model_.predict_proba(np.empty((0, 4))).shape == (0, 3)


@pytest.mark.parametrize("change", [np.copy, np.asfortranarray, np.float32])
def test_threads_score_the_parts_of_many_rows(iris, change) -> None:
    model = fit(*iris).model_
    few = change(iris[0])
    many = change(np.tile(few, (1000, 1)))
    probability = model._core.predict_probability(few, 1)
    assert np.array_equal(
        model._core.predict_probability(many, 4), np.tile(probability, (1000, 1))
    )


@pytest.mark.parametrize("change", [np.copy, np.asfortranarray, np.float32])
def test_names_the_first_feature_that_is_not_finite(iris, change) -> None:
    estimator = fit(*iris)
    features = np.tile(iris[0], (1000, 1))
    features[149000, 0] = np.nan
    features[70001, 2] = np.inf
    with pytest.raises(mlp.DataError, match="feature 2 of row 70001 is Infinity"):
        estimator.model_._core.predict_index(change(features), 4)
