# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What trains on a table: mlp's program, and the peers at their defaults, with the
preparation that their documentation recommends."""
import dataclasses
import json
import resource
import subprocess
import time

import tables


@dataclasses.dataclass
class Score:
    accuracy: float
    log_loss: float
    cpu_seconds: float
    details: dict = dataclasses.field(default_factory=dict)


def score_of(probability, classes, test_labels, seconds):
    """A class that training never saw has no column: its rows are as wrong as can be."""
    import numpy as np

    column = {label: i for i, label in enumerate(classes)}
    picked = np.array([probability[i, column[label]] if label in column else 0.0
                       for i, label in enumerate(test_labels)])
    best = np.asarray(classes)[probability.argmax(axis=1)]
    return Score(float(np.mean(best == np.asarray(test_labels))),
                 float(np.mean(-np.log(np.maximum(picked, 1e-15)))), seconds)


def mlp(*flags):
    def train(program, train_rows, test_rows, seed, folder):
        files = {name: folder / f"{name}.csv" for name in ("train", "test")}
        tables.write(files["train"], train_rows)
        tables.write(files["test"], test_rows)
        model = folder / "model.json"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        report = run([program, "train", files["train"], "--label", "class",
                      "--task", "classification", "--seed", str(seed), "--threads", "1",
                      "-o", model, "--json", *flags])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        test = run([program, "evaluate", model, files["test"], "--json"])
        weights = 1
        for size, following in zip(report["layers"], report["layers"][1:]):
            weights += (size + 1) * following
        counted = report.get("multiplications",
                             report["evaluations"] * weights * len(train_rows))
        return Score(test["accuracy"], test["logLoss"],
                     after.ru_utime + after.ru_stime
                     - before.ru_utime - before.ru_stime,
                     {"multiplications": counted,
                      "encoding": report.get("numericEncoding", ""),
                      "calibration": test.get("calibrationError")})

    return train


def run(words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout)


def frame(rows, is_number):
    """Returns the features as an array of objects: numbers, and texts of categories."""
    import numpy as np

    return np.array([[(float(cell) if cell else np.nan) if number else cell
                      for cell, number in zip(row, is_number)] for row in rows],
                    dtype=object)


def preparation(is_number, *, scales):
    """Imputes and one-hot encodes, and scales numbers for those that need it."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = [i for i, number in enumerate(is_number) if number]
    others = [i for i, number in enumerate(is_number) if not number]
    steps = [SimpleImputer()] + ([StandardScaler()] if scales else [])
    return make_column_transformer(
        (make_pipeline(*steps), numbers),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), others))


def classifier(make, *, scales=False):
    def train(_program, train_rows, test_rows, seed, _folder):
        from sklearn.pipeline import make_pipeline

        is_number = tables.number_columns(train_rows + test_rows)
        features = [frame([row[:-1] for row in rows], is_number)
                    for rows in (train_rows, test_rows)]
        labels = [row[-1] for row in train_rows]
        start = time.process_time()
        model = make_pipeline(preparation(is_number, scales=scales), make(seed))
        model.fit(features[0], labels)
        seconds = time.process_time() - start
        return score_of(model.predict_proba(features[1]), model.classes_,
                        [row[-1] for row in test_rows], seconds)

    return train


def network(seed):
    from sklearn.neural_network import MLPClassifier
    return MLPClassifier(random_state=seed, max_iter=500)


def forest(seed):
    from sklearn.ensemble import RandomForestClassifier
    return RandomForestClassifier(300, random_state=seed, n_jobs=1)


def boosting(seed):
    from sklearn.ensemble import HistGradientBoostingClassifier
    return HistGradientBoostingClassifier(random_state=seed)


def lightgbm(seed):
    from lightgbm import LGBMClassifier
    return LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1)


def catboost(seed):
    from catboost import CatBoostClassifier
    return CatBoostClassifier(random_seed=seed, thread_count=1, verbose=False,
                              allow_writing_files=False)


def realmlp(seed):
    from pytabkit import RealMLP_TD_S_Classifier
    return RealMLP_TD_S_Classifier(device="cpu", random_state=seed, n_threads=1)


PEERS = {
    "quick": mlp("--effort", "quick"),
    "standard": mlp("--effort", "standard"),
    "network": classifier(network, scales=True),
    "forest": classifier(forest),
    "boosting": classifier(boosting),
    "lightgbm": classifier(lightgbm),
    "catboost": classifier(catboost),
    "realmlp": classifier(realmlp),
}
