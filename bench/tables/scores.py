# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""How good predictions of unseen rows are, the same for mlp and its peers."""
import math
import statistics
import sys

NUM_BINS = 15


def of_classes(probabilities, classes, labels):
    """Returns accuracy, log-loss and expected calibration error of the probabilities,
    which have one column for each class."""
    index = {label: i for i, label in enumerate(classes)}
    losses, confidences, hits = [], [], []
    for row, label in zip(probabilities, labels, strict=True):
        best = max(range(len(row)), key=row.__getitem__)
        confidences.append(row[best])
        hits.append(classes[best] == label)
        losses.append(-math.log(max(row[index[label]], sys.float_info.epsilon)))
    return {"accuracy": statistics.fmean(hits), "logLoss": statistics.fmean(losses),
            "calibration": calibration_error(confidences, hits)}


def calibration_error(confidences, hits):
    """Returns the mean of |confidence - accuracy| over bins of equal width of the
    confidence, weighted by their rows (Guo et al. 2017, section 2)."""
    sums = [0.0] * NUM_BINS
    for confidence, hit in zip(confidences, hits, strict=True):
        sums[min(int(confidence * NUM_BINS), NUM_BINS - 1)] += confidence - hit
    return sum(map(abs, sums)) / len(hits)


def of_numbers(predictions, labels):
    """Returns the root of the mean squared error, and R2."""
    mean = statistics.fmean(labels)
    squares = math.fsum((a - b) ** 2 for a, b in zip(predictions, labels, strict=True))
    total = math.fsum((label - mean) ** 2 for label in labels)
    return {"rmse": math.sqrt(squares / len(labels)), "r2": 1 - squares / total}
