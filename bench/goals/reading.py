# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""B4: text to matrix on one core, warm, allocation included."""
from goals import bounds
from measure import pairs
from measure.report import Row

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
