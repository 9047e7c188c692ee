# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Bad input: an exception with a sentence, never a crash of the interpreter."""

import copy
import importlib
import json
import pickle

import numpy as np
import pandas
import pytest
from conftest import ROOT

import mlp

CORPUS = ROOT / "tests" / "corpus"
X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 0, 1, 0, 1])
NAN = np.where(X == 3, np.nan, X)
INF = np.where(X == 3, np.inf, X)
FRAME = pandas.DataFrame(X, columns=["a", "b"])
# pandas stores such texts as objects only.
LONE = pandas.Series(["x", "y", "a\udc80"] * 2, dtype=object)
LONE_NAME = pandas.DataFrame(X, columns=pandas.Index(["a", "b\udc80"], dtype=object))
TAKEN = "without layers, mlp.MLPClassifier and mlp.MLPRegressor take them"
SURROGATE = r"expected a text that UTF-8 can store; got '.*\\udc80', which has a lone surrogate"


def fit(X=X, y=Y, fit_params=None, **params) -> mlp.MLPClassifier:
    return mlp.MLPClassifier(**({"layers": [2, 3, 2]} | params)).fit(X, y, **(fit_params or {}))


# What is wrong, the call, the exception, and a part of its sentence.
CASES = {
    "no instances": (lambda: fit(X[:0], Y[:0]), ValueError, "0 sample|at least 1"),
    "no features": (lambda: fit(X[:, :0]), ValueError, "0 feature|at least 1"),
    "one dimension": (lambda: fit(X[0]), ValueError, "Expected 2D array"),
    "three dimensions": (lambda: fit(X[None]), ValueError, "dim|2D"),
    "objects": (lambda: fit(np.array([[object()] * 2] * 6)), (ValueError, TypeError), "float|number"),
    "texts": (lambda: fit(np.array([["a", "b"]] * 6)), ValueError, "float|number"),
    "complex": (lambda: fit(X.astype(complex)), ValueError, "Complex"),
    "NaN": (lambda: fit(NAN), mlp.DataError, "feature 1 of row 1 is NaN"),
    "infinity": (lambda: fit(INF), mlp.DataError, "must be finite"),
    "NaN in lists": (
        lambda: fit(NAN.tolist()), mlp.DataError, f"feature 1 of row 1 is NaN; .*; {TAKEN}"),
    "NaN in a frame": (
        lambda: fit(FRAME.where(FRAME != 3)), mlp.DataError,
        f"feature 'b' of row 1 is NaN; leave these rows out, or replace .*; {TAKEN}"),
    "NaN in a frame to predict": (
        lambda: fit(FRAME).predict(FRAME.where(FRAME != 3)), mlp.DataError,
        "feature 'b' of row 1 is NaN"),
    "no rows of a frame": (
        lambda: fit(FRAME[:0], Y[:0], layers=None), mlp.ShapeError,
        r"X is empty: 0 sample\(s\) \(shape=\(0, 2\)\) .* 1 is required; check how its rows"),
    "no columns of a frame": (
        lambda: fit(FRAME[[]], layers=None), mlp.ShapeError,
        r"X is empty: 0 feature\(s\) \(shape=\(6, 0\)\) .* 1 is required; choose at least one"),
    "an empty list": (lambda: fit([], []), mlp.ShapeError, r"0 sample\(s\) \(shape=\(0,\)\)"),
    "rows of no values": (lambda: fit([[]] * 6), mlp.ShapeError, r"0 feature\(s\)"),
    "no rows of a frame to predict": (
        lambda: fit(FRAME).predict(FRAME[:0]), mlp.ShapeError, r"0 sample\(s\)"),
    "no columns of a frame to predict": (
        lambda: mlp.MLPClassifier(effort="quick").fit(FRAME, Y).predict(FRAME[[]]),
        mlp.ShapeError, r"0 feature\(s\)"),
    "a lone surrogate in a category": (
        lambda: fit(FRAME.assign(a=LONE), layers=None), mlp.DataError,
        f"row 2 of column 'a': {SURROGATE}"),
    "a lone surrogate in a name": (
        lambda: fit(LONE_NAME), mlp.DataError,
        f"the name of column 1: {SURROGATE}"),
    "a lone surrogate in a name without layers": (
        lambda: fit(LONE_NAME, layers=None), mlp.DataError,
        f"the name of column 1: {SURROGATE}"),
    "a lone surrogate in a name to predict": (
        lambda: fit(FRAME).model_.predict(LONE_NAME), mlp.DataError,
        f"the name of column 1: {SURROGATE}"),
    "a lone surrogate in a category to predict": (
        lambda: fit(FRAME.assign(a=["x", "y", "z"] * 2), layers=None, effort="quick").predict(
            FRAME.assign(a=LONE)),
        mlp.DataError, f"row 2 of column 'a': {SURROGATE}"),
    "a lone surrogate in a label": (
        lambda: fit(y=["a", "b\udc80"] * 3), mlp.DataError, f"a label: {SURROGATE}"),
    "a lone surrogate among numbers": (
        lambda: fit(FRAME.assign(a=LONE.where(LONE != "y", 1.5)), layers=None), mlp.DataError,
        "column 'a'"),
    "few labels": (lambda: fit(y=Y[:5]), ValueError, "y must have the shape"),
    "labels of two dimensions": (lambda: fit(y=np.c_[Y, Y]), ValueError, "y must have the shape"),
    "no labels": (lambda: fit(y=None), ValueError, "y cannot be None|y is None"),
    "NaN label": (lambda: fit(y=np.where(Y == 1, np.nan, 0.0)), ValueError, "NaN"),
    "None label": (lambda: fit(y=np.array([None, 1, 0, 1, 0, 1])), ValueError, "y has no value in row 0"),
    "fractions": (lambda: fit(y=Y + 0.5), ValueError, "Unknown label type"),
    "mixed labels": (lambda: fit(y=np.array([0, "a"] * 3, object)), ValueError, "mixture"),
    "mixed labels of NumPy": (lambda: fit(y=[np.str_("a"), 1] * 3), ValueError, "mixture"),
    "one class": (lambda: mlp.MLPClassifier().fit(X, Y * 0), ValueError, "one class"),
    "too many classes": (lambda: fit(y=np.arange(6)), ValueError, "number of classes, 6"),
    "wrong width of layers": (lambda: fit(layers=[3, 2]), mlp.ShapeError, r"2.*3|3.*2"),
    "no layers for Spark": (lambda: fit(layers=None, preset="spark"), mlp.ParamError, "layers"),
    "empty layers": (lambda: fit(layers=[]), ValueError, "layers"),
    "one layer": (lambda: fit(layers=[2]), ValueError, "layers"),
    "negative layer": (lambda: fit(layers=[2, -3, 2]), mlp.ParamError, "layers"),
    "huge layers": (lambda: fit(layers=[2, 2**40, 2]), mlp.ParamError, "layers"),
    "too many weights": (lambda: fit(layers=[2, 2**20, 2**20, 2]), mlp.ParamError, "weights|layers"),
    "layers of texts": (lambda: fit(layers="a,b"), mlp.ParamError, "layers"),
    "negative iterations": (lambda: fit(max_iter=-1), mlp.ParamError, "maxIter must be"),
    "fraction of iterations": (lambda: fit(max_iter=1.5), mlp.ParamError, "maxIter must be"),
    "negative tol": (lambda: fit(tol=-1.0), mlp.ParamError, "tol must be"),
    "NaN tol": (lambda: fit(tol=float("nan")), mlp.ParamError, "tol must be"),
    "unknown solver": (lambda: fit(solver="newton"), mlp.ParamError, "solver must be"),
    "unknown activation": (lambda: fit(activation="step"), mlp.ParamError, "activation must be"),
    "unknown preset": (lambda: fit(preset="x"), mlp.ParamError, "preset must be"),
    "unknown precision": (lambda: fit(precision="f16"), mlp.ParamError, "precision must be"),
    "unknown backend": (lambda: fit(backend="x"), mlp.ParamError, "backend must be"),
    "unknown device": (lambda: fit(device="tpu"), mlp.ParamError, "device must be"),
    "huge seed": (lambda: fit(seed=2**70), mlp.ParamError, "seed must be"),
    "wrong initial weights": (lambda: fit(initial_weights=[1.0]), mlp.MLPError, "initialWeights"),
    "NaN initial weights": (
        lambda: fit(initial_weights=np.full(17, np.nan)), mlp.ParamError, "initialWeights"),
    "two thresholds of 0": (lambda: fit(thresholds=[0, 0]), mlp.ParamError, "thresholds"),
    "three thresholds": (lambda: fit(thresholds=[1, 1, 1]), mlp.MLPError, "thresholds"),
    "weights of zero": (
        lambda: fit(fit_params={"sample_weight": Y * 0.0}), mlp.DataError, "all zero"),
    "negative weights": (
        lambda: fit(fit_params={"sample_weight": Y - 1.0}), mlp.MLPError, "weight"),
    "NaN weights": (
        lambda: fit(fit_params={"sample_weight": Y * np.nan}), mlp.MLPError, "weight"),
    "few weights": (
        lambda: fit(fit_params={"sample_weight": Y[:2]}), mlp.ShapeError, "sample_weight"),
    "texts as weights": (
        lambda: fit(fit_params={"sample_weight": ["a"] * 6}), mlp.DataError, "sample_weight"),
    "wrong partitions": (
        lambda: fit(fit_params={"partition_sizes": [5]}), mlp.ShapeError, "sum to 6"),
    "negative partition": (
        lambda: fit(fit_params={"partition_sizes": [-1, 7]}), mlp.ShapeError, "sum to 6"),
    "unknown label of the evaluation": (
        lambda: fit(fit_params={"eval_set": (X, Y + 1)}), mlp.DataError, "none of the classes"),
    "no pair as evaluation": (
        lambda: fit(fit_params={"eval_set": X}), mlp.ShapeError, "eval_set"),
    "unknown class_weight": (lambda: fit(class_weight="x"), mlp.ParamError, "class_weight"),
    "no such model": (
        lambda: fit(fit_params={"init_model": "/no/such/file"}), mlp.ModelError, "/no/such/file"),
    "number as model": (lambda: fit(fit_params={"init_model": 3}), mlp.ParamError, "init_model"),
    "wrong width of a row": (lambda: fit().predict(X[:, :1]), ValueError, "1 features"),
    "NaN in a row": (lambda: fit().predict(NAN), ValueError, "NaN"),
    "model with another width": (
        lambda: fit().model_.predict(X[:, :1]), mlp.ShapeError, "expects 2 features"),
    "not fitted": (lambda: mlp.MLPClassifier().predict(X), ValueError, "not fitted"),
    "a folder as a model": (lambda: mlp.Model.load("/"), mlp.ModelError, "directory|folder"),
    "no folder to save in": (
        lambda: fit().model_.save("/no/such/folder/m.json"), mlp.MLPError, "/no/such/folder"),
    "text that is no model": (lambda: mlp.Model.from_json("{}"), mlp.ModelError, "model"),
    "NUL in a path": (lambda: mlp.Model.load("a\0b"), (ValueError, OSError), "null|NUL|cannot"),
}


@pytest.mark.parametrize("name", CASES)
def test_raises_an_exception_with_a_sentence(name) -> None:
    call, exception, sentence = CASES[name]
    with pytest.raises(exception, match=sentence):
        call()


def test_there_are_at_least_fifty_cases() -> None:
    assert len(CASES) >= 50


def test_refuses_every_damaged_byte_of_a_pickle() -> None:
    model = fit(max_iter=3).model_
    data = pickle.dumps(model)
    num_refused = 0
    for position in range(0, len(data), 7):
        damaged = bytearray(data)
        damaged[position] ^= 0x15
        try:
            restored = pickle.loads(bytes(damaged))
        except Exception as error:  # noqa: BLE001  pickle raises many kinds
            assert str(error)
            num_refused += 1
        else:
            # The frame of the pickle changed, but not the text of the model.
            assert not isinstance(restored, mlp.Model) or restored == model
    assert num_refused > len(data) // 14


def corpus_cases() -> list[dict]:
    """The damaged model files of the program's own corpus."""
    cases = json.loads((CORPUS / "model.json").read_text())
    return [
        case for case in cases
        if case["exit"] == 4 and "not_as_root" not in case and "--verify" not in case["argv"]
    ]


def test_the_corpus_has_damaged_models() -> None:
    assert len(corpus_cases()) > 100


@pytest.mark.parametrize("case", corpus_cases(), ids=lambda case: case["name"])
def test_refuses_the_models_of_the_corpus_as_the_program_does(case, tmp_path, monkeypatch) -> None:
    monkeypatch.syspath_prepend(CORPUS)
    run_corpus = importlib.import_module("run_corpus")
    case = copy.deepcopy(case)
    run_corpus.make_folder(case, tmp_path)
    monkeypatch.chdir(tmp_path)
    expected = run_corpus.expand_names(case["stderr"])
    model_file = next(word for word in case["argv"][1:] if word.endswith(".json"))
    if model_file not in expected:
        pytest.skip("the sentence is about the data")
    with pytest.raises(mlp.ModelError) as caught:
        mlp.Model.load(model_file)
    assert str(caught.value) in expected
