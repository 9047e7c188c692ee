# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Record batches whose columns differ in order or type, as those of one table."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .._values import is_arrow_text
from ..errors import DataError

__all__ = ["match_batches", "match_names", "shared_schema"]


def match_names(expected: list[str], names: list[str], number: int) -> list[int] | None:
    """Returns where the columns of the first batch are in another; None if in the same places.

    Raises
    ------
    DataError
        Naming the batch, and a column that is missing, additional or there several times.
    """
    if names == expected:
        return None
    for name in expected:
        if name not in names:
            raise DataError(
                f"batch {number} has no column {name!r}; expected the columns of batch 0, "
                f"{expected}; got {names}"
            )
    for name in names:
        if name not in expected:
            raise DataError(
                f"batch {number} has an additional column {name!r}; expected the columns of "
                f"batch 0, {expected}; got {names}"
            )
        if names.count(name) > 1 or expected.count(name) > 1:
            raise DataError(
                f"batch {number} has its columns in another order, and several columns {name!r}; "
                f"expected the columns of batch 0, {expected}; got {names}"
            )
    return [names.index(name) for name in expected]


def shared_schema(schema: Any, label: str) -> Any:
    """Returns the schema to which all batches are cast, made of the one of the first.

    Numbers are float64, and dictionaries what their values are. Truth values are float64 too,
    but as labels, where they are classes. The rows of a training are float64 anyway.
    """
    import pyarrow

    return pyarrow.schema(
        [(field.name, shared_type(field.type, field.name == label)) for field in schema]
    )


def shared_type(arrow_type: Any, is_label: bool) -> Any:
    import pyarrow
    from pyarrow import types

    if types.is_dictionary(arrow_type):
        return shared_type(arrow_type.value_type, is_label)
    is_text_label = types.is_boolean(arrow_type) and is_label
    return arrow_type if is_text_label or not becomes_float(arrow_type) else pyarrow.float64()


def becomes_float(arrow_type: Any) -> bool:
    from pyarrow import types

    return bool(
        types.is_integer(arrow_type) or types.is_floating(arrow_type)
        or types.is_boolean(arrow_type) or types.is_decimal(arrow_type)
        or types.is_null(arrow_type)
    )


def match_batches(schema: Any, batches: Iterable[tuple[int, Any]]) -> Iterator[Any]:
    """Yields record batches with the columns and types of a schema.

    Parameters
    ----------
    batches : iterable of (int, pyarrow.RecordBatch)
        With the number of each that messages have.

    Raises
    ------
    DataError
        Naming the batch, the column and both types.
    """
    import pyarrow

    for number, batch in batches:
        places = match_names(schema.names, batch.schema.names, number)
        columns = batch.columns if places is None else [batch.column(at) for at in places]
        yield pyarrow.RecordBatch.from_arrays(
            [cast(column, field, number) for column, field in zip(columns, schema)],
            schema=schema,
        )


def cast(column: Any, field: Any, number: int) -> Any:
    """Returns a column with the type of the first batch."""
    import pyarrow

    if column.type == field.type:
        return column
    if not is_castable(column.type, field.type):
        raise DataError(
            f"column {field.name!r} of batch {number} has the type {column.type}; expected "
            f"{field.type} as in batch 0; convert the column in all batches"
        )
    try:
        # An integer may be rounded, as any number that becomes float64.
        return column.cast(field.type, safe=False)
    except pyarrow.ArrowException as error:
        raise DataError(
            f"column {field.name!r} of batch {number} cannot be cast from {column.type} to "
            f"{field.type}: {error}"
        ) from error


def is_castable(given: Any, wanted: Any) -> bool:
    """True if a type may become another: numbers float64, and texts texts."""
    from pyarrow import types

    if types.is_dictionary(given):
        return given.value_type == wanted or is_castable(given.value_type, wanted)
    if types.is_null(given):
        return True
    if types.is_float64(wanted):
        return becomes_float(given)
    return is_arrow_text(given) and is_arrow_text(wanted)
