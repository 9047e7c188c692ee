# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The standalone cluster that tests share."""

from collections.abc import Iterator

import pytest

from spark.training.clusters.standalone import start_cluster


@pytest.fixture(scope="session")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a standalone master with two workers of two cores and 1 GiB."""
    pytest.importorskip("pyspark")
    from mlp.spark.training.group import plugin_file

    if not plugin_file().exists():
        pytest.skip("this build has no plugin for Gloo")
    with start_cluster(tmp_path_factory.mktemp("standalone")) as url:
        yield url
