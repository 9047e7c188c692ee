# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""JSON that other programs wrote."""

import pytest
from mlp import ModelError
from mlp.formats.json_text import parse_json


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


def test_parses_what_models_have() -> None:
    assert parse_json('{"a": [1, {"b": null}]}', "file") == {"a": [1, {"b": None}]}
    assert parse_json(nested(32), "file") is not None
    assert parse_json(f'{{"a": {nested(31)}, "b": 1}}', "file")["b"] == 1


@pytest.mark.parametrize("levels", [33, 900, 100_000])
def test_refuses_what_nests_too_deeply(levels: int) -> None:
    with pytest.raises(ModelError) as caught:
        parse_json(nested(levels), "file", "one line of JSON")

    assert str(caught.value) == (
        "file: must be one line of JSON that nests at most 32 levels; got "
        f"'{nested(levels)[:60]}'"
    )


def test_refuses_other_text() -> None:
    with pytest.raises(ModelError) as caught:
        parse_json("{", "file")

    assert str(caught.value) == (
        "file: must be JSON; got '{' (JSONDecodeError: Expecting property name enclosed in "
        "double quotes: line 1 column 2 (char 1))"
    )
