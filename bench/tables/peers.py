# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The peers at their defaults, with the preparation that their documentation recommends,
on one thread."""
import dataclasses
import importlib
import importlib.metadata
import typing

import measure

MISSING_TEXT = "missing"


@dataclasses.dataclass(frozen=True)
class Peer:
    """`make(table, seed)` returns an estimator, `prepare(table)` what turns the
    columns of a frame into what the estimator takes, or None."""
    package: str
    modules: tuple
    make: typing.Callable
    prepare: typing.Callable = lambda table: None
    has_text_columns: bool = False

    def version(self):
        return f"{self.package} {importlib.metadata.version(self.package)}"

    def load(self):
        """Imports what a training needs, so that its process does not."""
        for module in self.modules:
            importlib.import_module(module)

    def train(self, table, train_rows, test_rows, seed):
        train, test = frames(table, train_rows, test_rows, self.has_text_columns)
        labels = ([float(row[-1]) for row in train_rows] if table.is_regression
                  else [table.classes.index(row[-1]) for row in train_rows])
        start = measure.cpu_seconds()
        preparation = self.prepare(table)
        if preparation is not None:
            train = preparation.fit_transform(train)
            test = preparation.transform(test)
        model = self.make(table, seed)
        model.fit(train, labels)
        predicted = (model.predict(test) if table.is_regression
                     else model.predict_proba(test))
        seconds = measure.cpu_seconds() - start
        return predicted.tolist(), {"cpuSeconds": seconds}


def frames(table, train_rows, test_rows, has_text_columns):
    """Returns two frames: numbers, NaN if they are missing, and categories, which are
    those of the training rows, or texts."""
    import numpy as np
    import pandas as pd

    found = pd.DataFrame(), pd.DataFrame()
    for i, is_number in enumerate(table.number_columns):
        train, test = ([row[i] for row in rows] for rows in (train_rows, test_rows))
        if is_number:
            train, test = ([float(cell) if cell else np.nan for cell in cells]
                           for cells in (train, test))
        else:
            train, test = ([cell or MISSING_TEXT for cell in cells]
                           for cells in (train, test))
            if not has_text_columns:
                categories = sorted(set(train))
                train, test = (pd.Categorical(cells, categories=categories)
                               for cells in (train, test))
        found[0][f"x{i}"], found[1][f"x{i}"] = train, test
    return found


def columns(table, *, numbers):
    return [f"x{i}" for i, is_number in enumerate(table.number_columns)
            if is_number == numbers]


def imputed(table, *steps, others):
    """Fills missing numbers by their mean; `steps` follow for numbers, `others` is for
    the categories."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline

    made = make_column_transformer(
        (make_pipeline(SimpleImputer(keep_empty_features=True), *steps),
         columns(table, numbers=True)),
        (others, columns(table, numbers=False)), verbose_feature_names_out=False)
    return made


def one_hot():
    from sklearn.preprocessing import OneHotEncoder
    return OneHotEncoder(handle_unknown="ignore", sparse_output=False)


def encoded(table):
    return imputed(table, others=one_hot())


def encoded_and_scaled(table):
    from sklearn.preprocessing import StandardScaler
    return imputed(table, StandardScaler(), others=one_hot())


def filled(table):
    """Keeps the columns of categories."""
    return imputed(table, others="passthrough").set_output(transform="pandas")


def network(table, seed):
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.preprocessing import StandardScaler

    if not table.is_regression:
        return MLPClassifier(random_state=seed, max_iter=500)
    return TransformedTargetRegressor(MLPRegressor(random_state=seed, max_iter=500),
                                      transformer=StandardScaler())


def forest(table, seed):
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    make = RandomForestRegressor if table.is_regression else RandomForestClassifier
    return make(300, random_state=seed, n_jobs=1)


def boosting(table, seed):
    from sklearn.ensemble import (HistGradientBoostingClassifier,
                                  HistGradientBoostingRegressor)
    make = (HistGradientBoostingRegressor if table.is_regression
            else HistGradientBoostingClassifier)
    return make(random_state=seed)


def lightgbm(table, seed):
    from lightgbm import LGBMClassifier, LGBMRegressor
    make = LGBMRegressor if table.is_regression else LGBMClassifier
    return make(random_state=seed, n_jobs=1, verbose=-1)


def catboost(table, seed):
    from catboost import CatBoostClassifier, CatBoostRegressor
    make = CatBoostRegressor if table.is_regression else CatBoostClassifier
    return make(random_seed=seed, thread_count=1, verbose=False, allow_writing_files=False,
                cat_features=columns(table, numbers=False))


def realmlp(table, seed):
    from pytabkit import RealMLP_TD_S_Classifier, RealMLP_TD_S_Regressor
    make = RealMLP_TD_S_Regressor if table.is_regression else RealMLP_TD_S_Classifier
    return make(device="cpu", random_state=seed, n_threads=1)


SKLEARN = ("pandas", "sklearn.ensemble", "sklearn.neural_network", "sklearn.compose",
           "sklearn.impute", "sklearn.pipeline", "sklearn.preprocessing")
PEERS = {
    "network": Peer("scikit-learn", SKLEARN, network, encoded_and_scaled),
    "forest": Peer("scikit-learn", SKLEARN, forest, encoded),
    "boosting": Peer("scikit-learn", SKLEARN, boosting),
    "lightgbm": Peer("lightgbm", (*SKLEARN, "lightgbm"), lightgbm),
    "catboost": Peer("catboost", (*SKLEARN, "catboost"), catboost, has_text_columns=True),
    "realmlp": Peer("pytabkit", (*SKLEARN, "pytabkit", "torch"), realmlp, filled),
}
