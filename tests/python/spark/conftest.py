# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests share: the session of Spark and the classes of the jar."""

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest

Session = Any


@pytest.fixture(scope="session")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    sql = pytest.importorskip("pyspark.sql")
    # Workers have the packages of this Python.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from mlp import NotCompiled
    from mlp.spark import enable_jar

    folder = tmp_path_factory.mktemp("warehouse")
    builder = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.warehouse.dir", str(folder))
    )
    with contextlib.suppress(NotCompiled):
        builder = enable_jar(builder)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture
def classes(session: Session) -> Any:
    """The package io.mlp.spark; skips a test if there is no jar."""
    from mlp import NotCompiled
    from mlp.spark import jar_path

    try:
        jar_path()
    except NotCompiled as error:
        pytest.skip(str(error))
    return session._jvm.io.mlp.spark
