# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""pyarrow reads a Parquet file as a table in memory.

    parquet_peer.py FILE ROWS THREADS

Writes the file first: 100 columns of random float64 numbers.
"""
import sys

from protocol import limit_threads, serve

NUM_COLUMNS = 100


def main():
    file, num_rows, num_threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    limit_threads(num_threads)
    import numpy
    import pyarrow
    from pyarrow import parquet

    pyarrow.set_cpu_count(num_threads)
    source = numpy.random.default_rng(1)
    columns = {f"x{i}": source.standard_normal(num_rows) for i in range(NUM_COLUMNS)}
    parquet.write_table(pyarrow.table(columns), file)
    serve(lambda: parquet.read_table(file), lambda table: {"rows": table.num_rows})


if __name__ == "__main__":
    main()
