# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays and tables whose values are no numbers are refused, and none is converted."""

import datetime
import re
from typing import Any

import numpy as np
import pytest

import mlp

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 0, 1, 0, 1])
MASK = np.arange(12).reshape(6, 2) == 5
DAYS = np.arange("2020-01-01", "2020-01-07", dtype="datetime64[D]")
TEXTS = np.array([["1", "2"]] * 6)
MISSING = "leave these rows out, or replace the missing values"
TAKEN = "without layers, mlp.MLPClassifier and mlp.MLPRegressor take them"
ONE_HOT = (
    "make one feature of each text, with pandas.get_dummies, with mlp.read_csv(..., "
    "one_hot='auto') or with --one-hot auto of the program; without layers, mlp.MLPClassifier and "
    "mlp.MLPRegressor do it"
)
TIME = "make numbers of it, for example the seconds since a date"


def objects(value: Any) -> np.ndarray:
    array = X.astype(object)
    array[2, 1] = value
    return array


# What is given as X, and the whole sentence.
FEATURES = {
    "mask": (
        np.ma.array(X, mask=MASK),
        "X has 1 masked entries, the first one at (2, 1); a network needs all numbers; "
        f"{MISSING}, for example with filled()",
    ),
    "mask of a row": (
        [np.ma.array(row, mask=mask) for row, mask in zip(X, MASK)],
        "row 2 of X has 1 masked entries, the first one at (1,); a network needs all numbers; "
        f"{MISSING}, for example with filled()",
    ),
    "dates": (
        DAYS.reshape(3, 2).repeat(2, 0),
        f"X must be numbers; it has the type datetime64[D]; {TIME}",
    ),
    "durations": (
        (DAYS - DAYS[0]).reshape(3, 2).repeat(2, 0),
        f"X must be numbers; it has the type timedelta64[D]; {TIME}",
    ),
    "date among objects": (
        objects(datetime.date(2020, 1, 1)),
        f"column 1 of X must be numbers; got date in row 2; {TIME}",
    ),
    "complex": (
        X.astype(complex),
        "Complex data not supported: X must be real numbers; it has the type complex128",
    ),
    "complex among objects": (
        objects(1j),
        "Complex data not supported: column 1 of X must be real numbers; got 1j in row 2",
    ),
    "None": (objects(None), f"column 1 of X has no value in row 2; {MISSING}; {TAKEN}"),
    "None in lists": (
        objects(None).tolist(), f"column 1 of X has no value in row 2; {MISSING}; {TAKEN}"),
    "texts": (TEXTS, f"column 0 of X must be numbers; got the text '1'; {ONE_HOT}"),
    "lists of texts": (
        TEXTS.tolist(), f"column 0 of X must be numbers; got the text '1'; {ONE_HOT}"),
    "bytes": (
        TEXTS.astype(bytes), f"column 0 of X must be numbers; got the text '1'; {ONE_HOT}"),
    "text among objects": (
        objects("2.5"), f"column 1 of X must be numbers; got the text '2.5'; {ONE_HOT}"),
    "structures": (
        np.zeros((6, 2), [("a", float)]),
        "X must be numbers; it has the type [('a', '<f8')]; convert it",
    ),
}


def estimators() -> list[Any]:
    return [
        mlp.MLPClassifier(layers=[2, 3, 2], max_iter=1),
        mlp.MLPRegressor(layers=[2, 3, 1], max_iter=1),
    ]


def check_refused(call: Any, sentence: str) -> None:
    with pytest.raises(mlp.DataError, match=f"^{re.escape(sentence)}$"):
        call()


def check_features(given: Any, sentence: str) -> None:
    for estimator in estimators():
        check_refused(lambda e=estimator: e.fit(given, Y), sentence)
        estimator.fit(X, Y)
        check_refused(lambda e=estimator: e.predict(given), sentence)
        check_refused(lambda e=estimator: e.model_.predict(given), sentence)
        check_refused(lambda e=estimator: e.fit(X, Y, eval_set=(given, Y)), sentence)


@pytest.mark.parametrize("name", FEATURES)
def test_refuses_features_that_are_no_numbers(name: str) -> None:
    check_features(*FEATURES[name])


def test_takes_a_mask_that_hides_nothing() -> None:
    whole = np.ma.array(X, mask=False)
    for estimator in estimators():
        estimator.fit(whole, np.ma.array(Y, mask=False))
        assert (estimator.predict(whole) == estimator.predict(X)).all()


def test_takes_objects_and_lists_that_are_numbers() -> None:
    expected = estimators()[0].fit(X, Y).predict_proba(X)
    for same in (X.astype(object), X.tolist(), X.astype(np.float32), X.astype(int)):
        assert (estimators()[0].fit(same, Y).predict_proba(same) == expected).all()


def check_vector(given: Any, sentence: str) -> None:
    """Checks what is no label, no target and no weight. `{}` is its name."""
    classifier, regressor = estimators()
    for name, call in {
        "y": lambda: classifier.fit(X, given),
        "sample_weight": lambda: classifier.fit(X, Y, sample_weight=given),
    }.items():
        check_refused(call, sentence.format(name))
    check_refused(lambda: regressor.fit(X, given), sentence.format("y"))
    check_refused(lambda: regressor.fit(X, Y, eval_set=(X, given)), sentence.format("y"))
    check_refused(lambda: classifier.fit(X, Y, eval_set=(X, given)), sentence.format("y"))


def test_refuses_masked_labels_and_weights() -> None:
    check_vector(
        np.ma.array(Y, mask=Y == 1),
        "{} has 3 masked entries, the first one at (1,); a network needs all numbers; "
        f"{MISSING}, for example with filled()",
    )


def test_refuses_labels_and_weights_without_a_value() -> None:
    check_vector([1.0, None, 1.0, 0.0, 1.0, 1.0], f"{{}} has no value in row 1; {MISSING}")
    check_vector(
        np.array([1.0, None, 1.0, 0.0, 1.0, 1.0], object), f"{{}} has no value in row 1; {MISSING}"
    )


def test_refuses_complex_labels_and_weights() -> None:
    check_vector(
        Y.astype(complex),
        "Complex data not supported: {} must be real numbers; it has the type complex128",
    )


def test_refuses_dates_as_labels_and_weights() -> None:
    classifier, regressor = estimators()
    sentence = f"y must be numbers; it has the type datetime64[D]; {TIME}"
    check_refused(lambda: classifier.fit(X, DAYS), sentence)
    check_refused(lambda: regressor.fit(X, DAYS), sentence)
    check_refused(
        lambda: classifier.fit(X, Y, sample_weight=DAYS - DAYS[0]),
        "sample_weight must be numbers; it has the type timedelta64[D]; convert it",
    )


class Wrapped:
    """What only NumPy can read, such as arrays of other libraries."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.array if dtype is None else self.array.astype(dtype)


def test_refuses_dates_of_other_arrays() -> None:
    for estimator in estimators():
        estimator.fit(Wrapped(X), Wrapped(Y))
        for call in (
            lambda e=estimator: e.fit(Wrapped(DAYS.reshape(3, 2)), Y[:3]),
            lambda e=estimator: e.predict(Wrapped(DAYS.reshape(3, 2))),
            lambda e=estimator: e.model_.predict(Wrapped(DAYS.reshape(3, 2))),
        ):
            check_refused(call, f"X must be numbers; it has the type datetime64[D]; {TIME}")
        check_refused(
            lambda e=estimator: e.fit(X, Wrapped(DAYS)),
            f"y must be numbers; it has the type datetime64[D]; {TIME}",
        )


def test_refuses_texts_as_targets_and_weights() -> None:
    texts = np.array(["1", "2"] * 3)
    classifier, regressor = estimators()
    check_refused(
        lambda: regressor.fit(X, texts),
        "y must be numbers; got the text '1'; texts are classes, which MLPClassifier predicts",
    )
    check_refused(
        lambda: classifier.fit(X, Y, sample_weight=texts.tolist()),
        "sample_weight must be numbers; got the text '1'; convert it",
    )
    assert classifier.fit(X, texts).classes_.tolist() == ["1", "2"]


def test_refuses_masked_labels_in_partial_fit() -> None:
    estimator = mlp.MLPClassifier(layers=[2, 3, 2], solver="adam")
    with pytest.raises(mlp.DataError, match="y has 3 masked entries"):
        estimator.partial_fit(X, np.ma.array(Y, mask=Y == 1), classes=[0, 1])


def test_refuses_masked_weights_in_the_drop_in() -> None:
    pytest.importorskip("sklearn")
    from mlp.sklearn import MLPClassifier

    with pytest.raises(mlp.DataError, match="sample_weight has 3 masked entries"):
        MLPClassifier((3,), early_stopping=True).fit(
            X, Y, sample_weight=np.ma.array(Y + 1.0, mask=Y == 1)
        )


LARGE = 2**53


@pytest.mark.parametrize("labels", [[LARGE, LARGE + 1] * 3, [-LARGE, 1] * 3, [2.0**70, 1.0] * 3])
def test_refuses_labels_that_float64_rounds_as_the_program_does(labels: list[Any]) -> None:
    largest = next(i for i, label in enumerate(labels) if abs(label) >= LARGE)
    y = np.array(labels)
    check_refused(
        lambda: mlp.MLPClassifier().fit(X, y),
        "labels must be integers below 2^53 or texts for a classifier; instance "
        f"{largest} has label {y[largest]}; make texts of integers, for example with "
        "y.astype(str)",
    )


def test_takes_the_texts_of_large_labels_as_classes() -> None:
    y = np.array([LARGE, LARGE + 1] * 3)
    estimator = mlp.MLPClassifier(layers=[2, 3, 2], max_iter=1).fit(X, y.astype(str))
    assert estimator.model_.labels == ["9007199254740992", "9007199254740993"]


def frame_features(library: str) -> dict[str, tuple[Any, str]]:
    """Frames with one column that is no number, and what their sentence says of it."""
    numbers = X[:, 0]
    columns: dict[str, Any] = {
        "text": [f"x{i}" for i in range(6)],
        "date": [datetime.date(2020, 1, 1 + i) for i in range(6)],
        "moment": [datetime.datetime(2020, 1, 1 + i) for i in range(6)],
        "span": [datetime.timedelta(i) for i in range(6)],
        "gap": [1, None, 3, 4, 5, 6],
    }
    module = pytest.importorskip(library)
    make = {
        "pandas": lambda data: module.DataFrame(data),
        "polars": lambda data: module.DataFrame(data),
        "pyarrow": lambda data: module.table(data),
    }[library]
    frames = {
        name: make({"size": numbers, f"the {name}": values}) for name, values in columns.items()
    }
    if library == "pandas":
        categories = module.Series(["a", "b"] * 3, dtype="category")
        codes = module.Series([1, 2] * 3, dtype="category")
        frames["category"] = make({"size": numbers, "the category": categories})
        frames["code"] = make({"size": numbers, "the code": codes})
        gap = module.array([1, None, 3, 4, 5, 6], dtype="Int64")
        frames["gap"] = make({"size": numbers, "the gap": gap})
        zone = module.date_range("2020", periods=6, tz="UTC")
        frames["zone"] = make({"size": numbers, "the zone": zone})
        frames["complex"] = make({"size": numbers, "the complex": numbers * 1j})
    elif library == "polars":
        values = module.Series(["a", "b"] * 3).cast(module.Categorical)
        frames["category"] = make({"size": numbers, "the category": values})
    else:
        values = module.array(["a", "b"] * 3).dictionary_encode()
        frames["category"] = make({"size": numbers, "the category": values})
    return frames


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_names_the_column_that_is_no_number(library: str) -> None:
    advice = {
        "text": f"must be numbers; .*; {re.escape(ONE_HOT)}$",
        "category": f"must be numbers; it has the type .*; {re.escape(ONE_HOT)}$",
        "code": f"must be numbers; it has the type category; {re.escape(ONE_HOT)}$",
        "gap": f"has 1 missing values; {MISSING}; {TAKEN}$",
        "complex": "must be real numbers; it has the type complex128$",
    }
    for name, frame in frame_features(library).items():
        rest = advice.get(name, f"must be numbers; .*; {re.escape(TIME)}$")
        sentence = f"^(Complex data not supported: )?column 'the {name}' {rest}"
        for estimator in estimators():
            with pytest.raises(mlp.DataError, match=sentence):
                estimator.fit(frame, Y)
            estimator.fit(X, Y)
            with pytest.raises(mlp.DataError, match=sentence):
                estimator.predict(frame)
            with pytest.raises(mlp.DataError, match=sentence):
                estimator.model_.predict(frame)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_refuses_columns_as_labels_and_weights(library: str) -> None:
    frames = frame_features(library)
    take = {
        "pandas": lambda frame: frame.iloc[:, 1],
        "polars": lambda frame: frame.to_series(1),
        "pyarrow": lambda frame: frame.column(1),
    }[library]
    classifier, regressor = estimators()
    for name in ("gap", "moment", "span"):
        with pytest.raises(mlp.DataError, match="^y (has 1 missing values|must be numbers); "):
            classifier.fit(X, take(frames[name]))
    for name in ("gap", "moment", "span", "text"):
        column = take(frames[name])
        with pytest.raises(mlp.DataError, match="^y (has 1 missing values|must be numbers); "):
            regressor.fit(X, column)
        with pytest.raises(mlp.DataError, match="^sample_weight (has 1 miss|must be numbers; )"):
            classifier.fit(X, Y, sample_weight=column)
    texts = classifier.fit(X[:, :2], take(frames["category"]))
    assert texts.classes_.tolist() == ["a", "b"]
