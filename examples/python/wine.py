# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0

# %% [markdown]
# # From a data frame to a model that is watched
#
# The wines of three growers, with names of columns, cross validation, early stopping and a
# model file.

# %%
import pathlib

import pandas
from sklearn.model_selection import cross_val_score, train_test_split

import mlp

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
wine = pandas.read_csv(DATA / "wine.csv")
X, y = wine.drop(columns="class"), wine["class"]
print(X.shape)  # (178, 13)

# %% [markdown]
# Without `layers` the estimator standardises the columns and chooses a network.

# %%
scores = cross_val_score(mlp.MLPClassifier(), X, y, cv=5)
print(scores.mean() > 0.96)  # True

# %% [markdown]
# ## Early stopping
#
# The rows of the evaluation set are not trained on. The model is the one with the lowest loss
# on them.

# %%
X_train, X_held_out, y_train, y_held_out = train_test_split(X, y, random_state=0, stratify=y)
seen = []
estimator = mlp.MLPClassifier(patience=5, solver="adam", batch_size=16)
estimator.fit(
    X_train, y_train, eval_set=(X_held_out, y_held_out),
    on_iteration=lambda state: seen.append(state.validation_loss),
)
print(seen == estimator.validation_history_.tolist())  # True
print(estimator.score(X_held_out, y_held_out) > 0.93)  # True

# %% [markdown]
# ## The model file
#
# The program `mlp` reads it; the names of the columns are checked when rows are scored.

# %%
estimator.model_.save("wine.json")
model = mlp.Model.load("wine.json")
print(model.feature_names[:2], model.layers[0])  # ['alcohol', 'malic_acid'] 13
print((model.predict(X.to_numpy()) == estimator.predict(X)).all())  # True
