# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The goals by name, in the order of the table of docs/performance.md."""
from goals import (distributed, evaluation, growth, package, reading,
                   scoring, startup, training)

GOALS = {
    "A1": evaluation.run_a1,
    "A2": evaluation.run_a2,
    "A3": evaluation.run_a3,
    "S": evaluation.run_s,
    "L": evaluation.run_l,
    "G1": growth.run_g1,
    "B1": training.run_b1,
    "B2": training.run_b2,
    "B3": training.run_b3,
    "B4": reading.run_b4,
    "B6": reading.run_b6,
    "M": training.run_m,
    "C1": scoring.run_c1,
    "C2": scoring.run_c2,
    "C3": scoring.run_c3,
    "C4": scoring.run_c4,
    "D1": distributed.run_d1,
    "D2": distributed.run_d2,
    "D3": distributed.run_d3,
    "E1": startup.run_e1,
    "E2": startup.run_e2,
    "E3": startup.run_e3,
    "E4": startup.run_e4,
    "P1": package.run_p1,
    "P2": package.run_p2,
    "P3": package.run_p3,
}
