# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0

# %% [markdown]
# # Features that a network has learned
#
# A network learns the digits 0 to 4. Its hidden layer then describes the digits 5 to 9, of
# which only a few are labelled, and a new last layer is trained on that description.

# %%
import pathlib

import numpy as np

import mlp

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
digits = mlp.read_csv(DATA / "digits.csv", label=-1)
X, y = digits.X / 16, digits.y
is_low = y < 5
print(X.shape, int(is_low.sum()))  # (1797, 64) 901

# %% [markdown]
# The first network, with the digits that are known well.

# %%
base = mlp.MLPClassifier(layers=[64, 32, 5], activation="relu", init="he-normal", seed=1)
base.fit(X[is_low], y[is_low])
print(base.score(X[is_low], y[is_low]) > 0.99)  # True

# %% [markdown]
# ## The hidden layer as features
#
# `transform` computes the output of a hidden layer. Twenty labelled rows of each new digit
# train a softmax on it.

# %%
new_X, new_y = X[~is_low], y[~is_low]
few = np.concatenate([np.flatnonzero(new_y == digit)[:20] for digit in range(5, 10)])
rest = np.setdiff1d(np.arange(len(new_y)), few)
features = base.model_.transform(new_X, layer=1)
head = mlp.MLPClassifier(layers=[32, 5], reg_param=0.01, block_size=1)
head.fit(features[few], new_y[few])
print(features.shape)  # (896, 32)
print(head.score(features[rest], new_y[rest]) > 0.75)  # True

# %% [markdown]
# ## The same in one network
#
# The first layer of the new network starts from the old one and is frozen; the last layer
# has other labels and new weights. A model file can be the start as well.

# %%
network = mlp.MLPClassifier(
    layers=[64, 32, 5], activation="relu", freeze=[1], reg_param=0.01, block_size=1
)
network.fit(new_X[few], new_y[few], init_model=base.model_)
print(np.array_equal(network.coefs_[0], base.coefs_[0]))  # True
print(network.classes_)  # [5 6 7 8 9]
print(network.score(new_X[rest], new_y[rest]) > 0.75)  # True
