"""How many of several events happen, each with its own probability. Knows no calibration."""

import numpy as np

from fiel.stats._checks import Floats

_SHORT = 32  # up to this length products are summed term by term, which keeps small probabilities right


def poisson_binomial(probability: Floats) -> Floats:
    """P(k of the events happen) for k = 0..n, shape (n + 1,), from their probabilities, shape (n,).

    Generating functions are multiplied in pairs, the long ones by Fourier transforms: O(n log^2 n), and an error of
    about 1e-15 in each probability.

    Hong (2013), section 2, for the distribution.

    >>> poisson_binomial(np.array([0.5, 0.1])).round(6).tolist()
    [0.45, 0.5, 0.05]
    """
    n = len(probability)
    factors = np.zeros((1 << max(n - 1, 0).bit_length(), 2))
    factors[:, 0] = 1.0
    factors[:n] = np.column_stack([1 - probability, probability])
    while len(factors) > 1:
        factors = _products(factors[::2], factors[1::2])
    found = np.maximum(factors[0, : n + 1], 0.0)
    return np.asarray(found / found.sum(), dtype=np.float64)


def _products(a: Floats, b: Floats) -> Floats:
    """Row by row, the coefficients of the product of two polynomials of one degree."""
    length = 2 * a.shape[1] - 1
    if a.shape[1] <= _SHORT:
        found = np.zeros((len(a), length))
        for k in range(a.shape[1]):
            found[:, k : k + b.shape[1]] += a[:, k : k + 1] * b
        return found
    size = 1 << (length - 1).bit_length()
    return np.fft.irfft(np.fft.rfft(a, size) * np.fft.rfft(b, size), size)[:, :length]
