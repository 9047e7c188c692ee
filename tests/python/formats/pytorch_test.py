# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Models of networks of PyTorch."""

from typing import Any

import numpy as np
import pytest
from mlp import Model, ModelError
from mlp.formats import from_torch

from formats.networks import TOLERANCE, random_rows

torch = pytest.importorskip("torch.nn")
nn = torch.nn

X = random_rows(4) / 4


def double(*layers: Any) -> Any:
    """Makes a Sequential in float64 with the same weights each time."""
    torch.manual_seed(1)
    for layer in layers:
        if hasattr(layer, "reset_parameters"):
            layer.reset_parameters()
    return nn.Sequential(*layers).double().eval()


def run(module: Any) -> np.ndarray:
    with torch.no_grad():
        return np.array(module(torch.from_numpy(X)).numpy())


def outputs(model: Model) -> np.ndarray:
    return model.decision_function(X).reshape(len(X), -1)


@pytest.mark.parametrize(
    "activation",
    [nn.Sigmoid, nn.Tanh, nn.ReLU, nn.LeakyReLU, nn.ELU, nn.Softplus, nn.SiLU],
)
def test_every_activation_gives_equal_probabilities(activation: Any) -> None:
    module = double(nn.Linear(4, 6), activation(), nn.Linear(6, 3), nn.Softmax(dim=1))

    model = from_torch(module)

    assert model.layers == [4, 6, 3]
    assert abs(model.predict_proba(X) - run(module)).max() <= TOLERANCE


def trained_batch_norm(units: int, **options: Any) -> Any:
    layer = nn.BatchNorm1d(units, **options)
    layer.train()
    for seed in range(3):
        layer(torch.from_numpy(random_rows(units, seed)).float())
    if layer.affine:
        nn.init.uniform_(layer.weight, 0.5, 2)
        nn.init.normal_(layer.bias)
    layer.reset_parameters = lambda: None
    return layer


@pytest.mark.parametrize("options", [{}, {"affine": False}, {"eps": 0.1}])
def test_batch_normalisation_in_any_place_is_folded(options: dict[str, Any]) -> None:
    module = double(
        trained_batch_norm(4, **options),
        nn.Linear(4, 6, bias=False),
        trained_batch_norm(6, **options),
        nn.ReLU(),
        trained_batch_norm(6, **options),
        nn.Linear(6, 3),
        trained_batch_norm(3, **options),
        nn.LogSoftmax(dim=1),
    )

    model = from_torch(module, labels=["a", "b", "c"])

    assert (model.layers, model.labels) == ([4, 6, 3], ["a", "b", "c"])
    assert abs(model.predict_proba(X) - np.exp(run(module))).max() <= TOLERANCE


def test_layers_that_do_nothing_are_left_out() -> None:
    module = double(
        nn.Flatten(),
        nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Dropout(0.5)),
        nn.Linear(5, 6),
        nn.Identity(),
        nn.Linear(6, 1),
    )

    model = from_torch(module)

    assert model.layers == [4, 5, 1]
    assert abs(model.predict(X) - run(module)[:, 0]).max() <= TOLERANCE


def test_a_sigmoid_at_the_end_is_the_probability_of_the_second_class() -> None:
    module = double(nn.Linear(4, 5), nn.Sigmoid(), nn.Linear(5, 1), nn.Sigmoid())

    model = from_torch(module)

    assert model.layers == [4, 5, 2]
    assert abs(model.predict_proba(X)[:, 1] - run(module)[:, 0]).max() <= TOLERANCE


def test_scores_of_classes_are_named_by_the_task_or_the_labels() -> None:
    module = double(nn.Linear(4, 3))
    one_output = double(nn.Linear(4, 1))

    by_task = from_torch(module, task="classification")
    by_labels = from_torch(module, labels=["a", "b", "c"])

    assert abs(outputs(by_task) - run(module)).max() <= TOLERANCE
    assert by_labels.labels == ["a", "b", "c"]
    assert from_torch(one_output, task="classification").layers == [4, 2]


def test_float32_weights_are_kept() -> None:
    module = nn.Sequential(nn.Linear(4, 2), nn.Softmax(dim=1))

    model = from_torch(module)

    assert (model.coefs_[0] == module[0].weight.detach().numpy().T).all()


REFUSED = {
    "no part for the layer Conv1d": (nn.Conv1d(4, 3, 1),),
    "negative_slope of LeakyReLU must be 0.01; got 0.2": (nn.Linear(4, 3), nn.LeakyReLU(0.2)),
    "beta of Softplus must be 1.0; got 2": (nn.Linear(4, 3), nn.Softplus(beta=2)),
    "must have running statistics": (
        nn.Linear(4, 3),
        nn.BatchNorm1d(3, track_running_stats=False),
    ),
    "must have 3 inputs, the outputs before it; got 4": (nn.Linear(4, 3), nn.Linear(4, 2)),
    "3 outputs without a softmax: pass task=": (nn.Linear(4, 3),),
    "one output for two classes; got 3": (nn.Linear(4, 3), nn.Sigmoid()),
    "got the end of the network without one": (nn.Linear(4, 3), nn.ReLU(), nn.Softmax(1)),
    "got the end of the network": (),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_refuses_what_is_no_layer_of_a_model(sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        from_torch(nn.Sequential(*REFUSED[sentence]))
