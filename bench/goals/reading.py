# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""B4: text to matrix on one core. B6: Parquet to matrix. Warm, allocation included."""
import pathlib
import tempfile

from goals import bounds
from measure import pairs
from measure.report import Row, ratio_row

FORMATS = (
    ("csv", "CSV of %.6f", "cpu_bytes", bounds.CSV_RATE[0], "MB/s"),
    ("libsvm", "LIBSVM of %.6f", "cpu_bytes", 600.0, "MB/s"),
    ("integer_csv", "CSV of integers", "cpu_values", 150.0, "M values/s"),
)


def run_b4(bench):
    """Each format by the rate that its goal names."""
    num_instances = 100 if bench.is_short else 5000
    for name, title, rate, bound, unit in FORMATS:
        with bench.guarded("B4", title), bench.worker(
                "reading", name, num_instances) as ours:
            measured = bench.measure(ours)
            kept = pairs.quiet(measured, "cpu")
            row = Row("B4", title, bound, True, f" {unit}",
                      num_pairs=len(measured))
            row.values = [p.ours[rate] / 1e6 for p in kept]
            other = "cpu_values" if rate == "cpu_bytes" else "cpu_bytes"
            other_rate = pairs.percentile([p.ours[other] for p in measured], 0.5)
            row.ours = (f"{other_rate / 1e6:.0f} "
                        f"{'M values/s' if other == 'cpu_values' else 'MB/s'}")
            bench.add(row)


def run_b6(bench):
    """A Parquet file against pyarrow, which makes a table of it."""
    what = "Parquet, 100 columns of float64, against pyarrow"
    if "pyarrow" not in bench.packages:
        bench.skip("B6", what, "pyarrow is not installed; bench/goals.py --install core does it")
        return
    if not (bench.build / "libmlp_arrow.so").exists():
        bench.skip("B6", what, "there is no plugin; scripts/install-deps parquet, and build again")
        return
    num_rows = 2000 if bench.is_short else 200_000
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "table.parquet")
        with bench.guarded("B6", what), \
                bench.peer("parquet_peer.py", file, num_rows, 2) as peer, \
                bench.worker("file_reading", file, 2) as ours:
            bench.add(ratio_row("B6", what, 0.9, bench.measure(ours, peer), "wall"))
