# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The front ends, and what each cannot express."""
from __future__ import annotations

from .case import Case

FRONT_ENDS = {
    "program": "the program `mlp`",
    "estimator": "`mlp.MLPClassifier`, `mlp.MLPRegressor`",
    "sklearn": "`mlp.sklearn`",
    "model": "`mlp.Model`",
    "c": "C",
    "jvm": "JVM",
    "spark": "`mlp.spark`",
}
# Those that need a running Spark.
IN_SPARK = ("jvm", "spark")
# Only the log of the JVM has its warnings.
WITHOUT_WARNINGS = ("jvm",)

KINDS = (
    "pandas", "polars", "arrow", "categories", "datetimes", "datetime64", "masked", "complex",
    "float32", "fortran", "int64", "bool", "lists", "sparse", "big-endian",
)
VECTORS = "features are vectors of float64"
NO_NAMES = "features have no names"
NUMBERS = "labels are numbers"
ARRAYS = "arrays have no length of their own"
ONE_VALUE = "a row has one value in each column"
NO_TRAINING = "it does not train"
OF_MODEL = "mlp.Model does it"
OF_PROGRAM = "only the program reads labels from files by name"
SWITCH = "Spark's Params choose for a whole search; here a caller catches the error"
OF_C = "only the C interface has this number"
LAYERS = "the data tell the first and the last size"
REGIONS = "only the program and the estimators make intervals and sets"
CHOOSER = "only the program and the estimators choose among trainings"
FILES = "only the program and mlp.read have columns of files"
MEMORY = "Spark gives a task its memory"
FITTED = "its models have the weights of its own fits"


def of_kinds(reason: str, kinds: tuple[str, ...] = KINDS) -> dict[str, str]:
    return dict.fromkeys(kinds, reason)


LABEL_FILES = {
    "label names": OF_PROGRAM,
    "label first": OF_PROGRAM,
}
PYTHON = {
    "number of partitions": OF_C,
    "param onDivergence": SWITCH,
} | LABEL_FILES

# What the rows of Spark cannot express, in both of its front ends.
ROWS_OF_SPARK = {
    "files": FILES,
    "effort": CHOOSER,
    "coverage": REGIONS,
    "groups": CHOOSER,
    "little memory": MEMORY,
    "names to fit": NO_NAMES,
    "names to predict": NO_NAMES,
    "evaluate": "Spark's evaluators do it",
    "standardize": "Spark's StandardScaler does it",
    "lengths": ONE_VALUE,
    "label columns": ONE_VALUE,
    "dimensions": "a column has one dimension",
    "partition sizes": "Spark's partitions have the rows that they have",
    "number of partitions": OF_C,
    "text labels": "StringIndexer makes indices of texts",
    "texts": "a vector has numbers",
    "truth values": "StringIndexer makes indices of them",
    "rows without names": NO_NAMES,
}

# Front end -> what a case may need -> why the front end does not have it.
LACKS: dict[str, dict[str, str]] = {
    "program": {
        "lengths": ONE_VALUE,
        "label columns": ONE_VALUE,
        "dimensions": "a file has two dimensions",
        "number of partitions": OF_C,
        "param onDivergence": SWITCH,
        "rows without names": "a header decides, which is the case before",
        "NUL in paths": "an argument of a program ends at NUL",
        "an empty path": "an empty argument is no output",
    } | of_kinds("a file has texts and numbers", KINDS[1:]),
    "estimator": PYTHON | {
        "save": OF_MODEL,
        "an input file": OF_MODEL,
        "encoded columns": FITTED,
        "a model with bins": FITTED,
        "a model merged": FITTED,
        "a model with sets": FITTED,
    },
    "sklearn": PYTHON | {
        "save": OF_MODEL,
        "load": OF_MODEL,
        "an input file": OF_MODEL,
        "outer layers": LAYERS,
        "files": FILES,
        "no layers": "hidden_layer_sizes always has a value",
        "coverage": REGIONS,
        "encoded columns": FITTED,
        "a model with bins": FITTED,
        "a model merged": FITTED,
        "a model with sets": FITTED,
        "effort": CHOOSER,
        "groups": CHOOSER,
        "class_weight": "scikit-learn's estimators have no class_weight",
        "standardize": "StandardScaler does it",
        "given patience": "n_iter_no_change always has a value",
        "partition sizes": "scikit-learn has no partitions",
    },
    "model": {
        "fit": NO_TRAINING,
        "files": FILES,
        "evaluate": "it has no score",
    },
    "c": {
        "names to fit": "mlp_fit() has no names of columns",
        "rows without names": "rows never have names; mlp_model_find_columns() has them",
        "effort": CHOOSER,
        "groups": CHOOSER,
        "little memory": "an array has its zeros",
        "evaluate": "it has no metrics",
        "files": FILES,
        "coverage": REGIONS,
        "validation": "its options have no validation set",
        "lengths": ARRAYS,
        "label columns": ARRAYS,
        "dimensions": ARRAYS,
        "ragged rows": ARRAYS,
        "width of rows": "a caller tells the number of rows, not of features",
        "missing values": "arrays of double have no missing values",
        "missing labels": "arrays of double have no missing values",
        "text labels": NUMBERS,
        "texts": NUMBERS,
        "truth values": NUMBERS,
        "class_weight": "class weights are one per class",
        "encoded columns": "features are an array of double",
        "texts of switches": "a switch is 0 or 1",
        "NUL in paths": "a path ends at NUL",
        "an input file": "a model is read as a whole before it is saved",
    } | of_kinds("features are an array of double", KINDS[1:]) | LABEL_FILES,
    "jvm": {
        "save": "toJson() gives the text",
        "validation": "it has no validation set",
        "task regression": "it trains classifiers",
        "class_weight": "it has no class weights",
        "param onDivergence": SWITCH,
        "integers above 2^31": "an int of Java ends at 2^31 - 1",
        "integers above 2^63": "a long of Java ends at 2^63 - 1",
    } | ROWS_OF_SPARK | of_kinds(VECTORS) | LABEL_FILES,
    "spark": {
        "param numericEncoding": "quantiles are not merged over the tasks of a training",
        "class_weight": "class weights are one per class",
        "no held-out rows": "a column marks the rows, which may be none",
        "width of held-out rows": "they are rows of the same column",
        "an input file": "a model is read as a whole before it is saved",
    } | ROWS_OF_SPARK | of_kinds(VECTORS) | LABEL_FILES,
}

# The hyper-parameters of front ends that do not have all of the table.
SKLEARN_PARAMS = {
    "layers": "hidden_layer_sizes",
    "maxIter": "max_iter",
    "tol": "tol",
    "solver": "solver",
    "stepSize": "learning_rate_init",
    "seed": "random_state",
    "activation": "activation",
    "regParam": "alpha",
    "batchSize": "batch_size",
    "momentum": "momentum",
    "patience": "n_iter_no_change",
    "learningSpeed": "learningSpeed",
    "max_iterations": "max_iterations",
}
JVM_PARAMS = (
    "layers", "maxIter", "tol", "seed", "blockSize", "solver", "stepSize", "initialWeights",
)
# Names that no front end knows; where names are methods, there is nothing to call.
UNKNOWN_PARAMS = ("learningSpeed", "max_iterations")


def reason_against(front_end: str, case: Case) -> str:
    """Returns why a front end cannot express a case; empty if it can."""
    lacks = LACKS[front_end]
    for need in case.all_needs():
        if need in lacks:
            return lacks[need]
    if front_end == "sklearn" and not set(case.params) <= set(SKLEARN_PARAMS):
        return "scikit-learn's estimators lack the hyper-parameter"
    if front_end == "sklearn" and case.params.get("solver") in ("gd", "adamw"):
        return "scikit-learn lacks the solver"
    if front_end == "jvm" and set(case.params) & set(UNKNOWN_PARAMS):
        return "hyper-parameters are methods"
    if front_end == "jvm" and not set(case.params) <= set(JVM_PARAMS):
        return "Spark's classifier lacks the hyper-parameter"
    return ""


def expected(front_end: str, case: Case) -> str:
    """Returns the outcome that a case must have in a front end."""
    outcome = case.outcome_in(front_end)
    if outcome.startswith("warns") and front_end in WITHOUT_WARNINGS:
        return "trains"
    return outcome
