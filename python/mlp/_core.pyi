# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__version__: str

OnIteration = Callable[
    [int, float, float, int, float | None, NDArray[np.float64] | None], object
]

# The different texts of a column, None for a missing one, and of each row the place of its text.
CodedTexts = tuple[list[str | None], NDArray[np.int64]]

class Params:
    layers: list[int]
    def __init__(self) -> None: ...
    def set(self, name: str, text: str) -> None: ...
    def get(self, name: str) -> str: ...
    def set_initial_weights(self, weights: NDArray[np.float64]) -> None: ...
    def apply_modern(
        self, num_features: int, num_outputs: int, weight_sum: float, num_instances: int,
        given: Sequence[str],
    ) -> str: ...
    def validate(self) -> None: ...

class CheckpointSettings:
    file: str
    seconds: float
    resume_file: str
    data: str
    def __init__(self) -> None: ...

class Settings:
    params: Params
    standardize: bool
    has_final_scale: bool
    keeps_diverged: bool
    precision: str
    backend: str
    device: str
    threads: int
    partition_sizes: list[int]
    feature_names: list[str]
    column_encoding: ColumnEncoding | None
    label_names: list[str]
    label_column: str
    checkpoint: CheckpointSettings
    effort: str
    coverage: float | None
    given: list[str]
    shows_weights: bool
    handles_signals: bool
    def __init__(self) -> None: ...

class Instances:
    def __init__(
        self,
        features: NDArray[Any] | StoredFeatures,
        labels: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
        groups: NDArray[np.float64] | None = None,
    ) -> None: ...

row_number_names: list[str]

def is_stored_index(name: str) -> bool: ...
def number_of(text: str) -> float | None: ...

class ColumnEncoding:
    are_categories: list[bool]
    column_names: list[str]
    def match_columns(self, names: Sequence[str]) -> list[int]: ...
    def is_missing_text(self, text: str) -> bool: ...
    def encode(
        self, values: list[NDArray[np.float64] | CodedTexts]
    ) -> tuple[NDArray[np.float64], list[str]]: ...

def scoring_encoding(instances: Instances, feature_names: list[str]) -> ColumnEncoding: ...

class FittedEncoding:
    encoding: ColumnEncoding
    features: NDArray[np.float64]
    feature_names: list[str]
    taken: list[int]
    left_out: list[str]
    warnings: list[str]

def fit_encoding(
    names: list[str],
    values: list[NDArray[np.float64] | CodedTexts],
    are_chosen: list[bool],
    weights: NDArray[np.float64] | None = None,
) -> FittedEncoding: ...

class Columns:
    shape: tuple[int, int]
    def __init__(self, batches: Sequence[Sequence[NDArray[Any]]]) -> None: ...

def check_finite(X: NDArray[Any], names: list[str]) -> None: ...
def scored_in_place(X: NDArray[Any]) -> bool: ...

class HiddenLayer:
    activation: str
    is_residual: bool
    has_batch_norm: bool
    dropout: float
    def __init__(
        self,
        activation: str = "sigmoid",
        is_residual: bool = False,
        has_batch_norm: bool = False,
        dropout: float = 0.0,
    ) -> None: ...

class InputColumn:
    def __init__(
        self,
        name: str = "",
        categories: Sequence[str] = (),
        missing: float | None = None,
        extra: str = "",
    ) -> None: ...

class Model:
    layers: list[int]
    num_features: int
    numeric_encoding: str
    bins: tuple[list[int], list[float], list[float]] | None
    hidden_layers: list[HiddenLayer]
    uid: str
    is_regressor: bool
    feature_names: list[str]
    label_names: list[str]
    class_names: list[str]
    label_column: str
    label_name: str
    has_encoding: bool
    has_columns: bool
    column_encoding: ColumnEncoding
    scoring_encoding: ColumnEncoding
    missing_numbers: list[float]
    thresholds: list[float]
    scaler: tuple[NDArray[np.float64], NDArray[np.float64]] | None
    offsets: list[tuple[int, int]]
    objective_history: NDArray[np.float64]
    validation_history: NDArray[np.float64]
    total_iterations: int
    best_iteration: int
    evaluations: int
    convergence_reason: str
    selection: dict[str, float] | None
    prediction_interval: tuple[float, NDArray[np.float64], NDArray[np.float64]] | None
    prediction_set: tuple[float, float] | None
    num_instances: int
    weights: NDArray[np.float64]
    statistics: NDArray[np.float64]
    @staticmethod
    def load(path: str) -> Model: ...
    @staticmethod
    def from_json(text: str, name: str = "model") -> Model: ...
    @staticmethod
    def make(
        layers: Sequence[int],
        weights: NDArray[np.float64],
        hidden_layers: Sequence[HiddenLayer] = (),
        params: Params = ...,
        loss: str = "softmaxNll",
        *,
        edges: tuple[int, Sequence[Sequence[float]]] = ...,
        statistics: NDArray[np.float64] = ...,
        thresholds: Sequence[float] = (),
        prediction_interval: tuple[float, NDArray[np.float64], NDArray[np.float64]] = ...,
        prediction_set: tuple[float, float] = ...,
        feature_names: Sequence[str] = (),
        label_names: Sequence[str] = (),
        label_column: str = "",
        scaler: tuple[NDArray[np.float64], NDArray[np.float64]] = ...,
        columns: Sequence[InputColumn] = (),
        unknown: str = "refuse",
        missing_texts: Sequence[str] = (),
    ) -> Model: ...
    def replace(self, **parts: Any) -> Model: ...
    def export_problem(self, format: str) -> tuple[str, bool]: ...
    def spark_weights(self) -> NDArray[np.float64]: ...
    def save(self, path: str) -> None: ...
    def match_columns(self, names: Sequence[str]) -> tuple[list[int], bool]: ...
    def to_json(self) -> str: ...
    def predict_index(
        self, X: NDArray[Any] | Columns, threads: int = 1
    ) -> NDArray[np.float64]: ...
    def predict_raw(
        self, X: NDArray[Any] | Columns, threads: int = 1
    ) -> NDArray[np.float64]: ...
    def predict_probability(
        self, X: NDArray[Any] | Columns, threads: int = 1
    ) -> NDArray[np.float64]: ...
    def predict_interval(
        self, X: NDArray[Any] | Columns, threads: int = 1
    ) -> NDArray[np.float64]: ...
    def predict_set(
        self, X: NDArray[Any] | Columns, threads: int = 1
    ) -> NDArray[np.float64]: ...
    def score(
        self, X: NDArray[Any], threads: int = 1
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
    def hidden_output(self, X: NDArray[Any], layer: int) -> NDArray[np.float64]: ...
    def param(self, name: str) -> str: ...

def check_outputs(
    input: tuple[str, str], output: tuple[str, str], is_folder: bool
) -> None: ...
def write_file(path: str, content: bytes) -> None: ...

class NewFolder:
    def __init__(self, path: str, may_exist: bool, marker: str) -> None: ...
    def write(self, file: str, content: bytes) -> None: ...
    def take_place(self) -> None: ...
    def close(self) -> None: ...

class FeatureFile:
    folder: str
    num_instances: int
    def __init__(self, folder: str, num_features: int) -> None: ...
    def append(self, rows: NDArray[np.float64]) -> None: ...
    def all(self) -> StoredFeatures: ...
    def select(self, places: NDArray[np.int64]) -> StoredFeatures: ...

class StoredFeatures:
    shape: tuple[int, int]
    @staticmethod
    def of_sparse(
        ends: NDArray[np.int64], columns: NDArray[np.int32], numbers: NDArray[np.float64],
        num_features: int,
    ) -> StoredFeatures: ...
    def __len__(self) -> int: ...
    def select(self, places: NDArray[np.int64]) -> StoredFeatures: ...
    def read(self, first: int, count: int) -> NDArray[np.float64]: ...

least_checked_bytes: float

def share_memory(num_processes: int) -> tuple[float, str, bool]: ...
def memory_for_data(bytes_left: float) -> float: ...
def stays_sparse(
    num_instances: float, num_features: float, num_values: float, memory_bytes: float = 0.0
) -> bool: ...
def memory_beside_file(num_instances: float) -> float: ...
def training_memory(settings: Settings, num_instances: int) -> tuple[float, str]: ...
def format_bytes(bytes: float) -> str: ...

class ReadOptions:
    def __init__(self) -> None: ...
    def set_label(self, name: str) -> None: ...
    def require_label(self, is_required: bool) -> None: ...
    def set_no_label(self) -> None: ...
    def set_label_as_text(self) -> None: ...
    def set_weight(self, name: str) -> None: ...
    def set_features(self, names: Sequence[str]) -> None: ...
    def set_ignored(self, names: Sequence[str]) -> None: ...
    def set_one_hot(self, is_auto: bool, names: Sequence[str]) -> None: ...
    def set_like(self, table: Table) -> None: ...
    def set_num_features(self, number: int) -> None: ...
    def set_labels_file(self, path: str) -> None: ...
    def set_scale(self, scale: float) -> None: ...
    def set_threads(self, threads: int) -> None: ...
    def set_missing(self, name: str) -> None: ...
    def set_header(self, has_header: bool) -> None: ...
    def set_delimiter(self, text: str) -> None: ...
    def set_arrow_opener(
        self, function: Callable[[str, bool, list[int]], tuple[Any, int]]
    ) -> None: ...
    def set_decimal(self, text: str) -> None: ...
    def set_missing_texts(self, texts: Sequence[str]) -> None: ...

class Table:
    features: NDArray[np.float64]
    labels: NDArray[np.float64] | None
    weights: NDArray[np.float64] | None
    are_classes: bool
    label_texts: list[str]
    long_labels: list[str]
    feature_names: list[str]
    label_name: str
    warnings: list[str]
    has_columns: bool

def read(paths: list[str], options: ReadOptions) -> Table: ...
def find_no_class(labels: NDArray[np.float64]) -> int | None: ...
def note_many_numbers(labels: NDArray[np.float64]) -> str: ...
def note_identifier(name: str, values: NDArray[np.float64]) -> str: ...
def number_groups(texts: Sequence[str]) -> list[int]: ...
def check_texts(counts: Sequence[tuple[str, int]]) -> None: ...
def balanced_class_weights(counts: NDArray[np.float64]) -> list[float]: ...
def read_stream(capsule: Any, name: str, options: ReadOptions) -> Table: ...
def max_inflated_bytes(compressed_bytes: int) -> int: ...

class RankOptions:
    rank: int
    size: int
    exchange: Callable[[bytes], Sequence[bytes]]
    address: str
    secret: bytes
    plugin_file: str
    timeout: float
    def __init__(self) -> None: ...

class Ranks:
    rank: int
    size: int
    def __init__(self, options: RankOptions) -> None: ...
    def allreduce(self, numbers: NDArray[np.float64]) -> None: ...
    def all_gather(self, own: bytes) -> list[bytes]: ...
    def leave(self, reason: str) -> None: ...
    def close(self) -> None: ...

class Outcome:
    model: Model
    interrupt: BaseException | None
    bytes_copied: int
    checkpoint_failure: str
    note: str
    warnings: list[tuple[str, str, dict[str, float]]]

def check_weights(weights: NDArray[np.float64]) -> None: ...
def fit(
    settings: Settings,
    instances: Instances,
    validation: Instances | None = None,
    warm_start: Model | None = None,
    on_iteration: OnIteration | None = None,
    ranks: Ranks | None = None,
) -> Outcome: ...
