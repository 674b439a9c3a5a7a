"""Tests of fiel.stats._quantiles."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from fiel.stats import _quantiles as q

PROBABILITY = st.floats(0.001, 0.999)
SHAPE = st.floats(0.5, 500)


@settings(deadline=None)
@given(p=PROBABILITY, a=SHAPE, b=SHAPE)
def test_quantiles_against_scipy_stats(p: float, a: float, b: float):
    """Each quantile is the one of SciPy's distribution of that name, in the same order of arguments."""
    assert q.normal_quantile(p) == pytest.approx(scipy_stats.norm.ppf(p), rel=1e-9, abs=1e-12)
    assert q.t_quantile(p, a) == pytest.approx(scipy_stats.t.ppf(p, a), rel=1e-7, abs=1e-9)
    assert q.beta_quantile(p, a, b) == pytest.approx(scipy_stats.beta.ppf(p, a, b), rel=1e-9)
    assert q.beta_cdf(p, a, b) == pytest.approx(scipy_stats.beta.cdf(p, a, b), rel=1e-9, abs=1e-300)
    assert q.f_quantile(p, a, b) == pytest.approx(scipy_stats.f.ppf(p, a, b), rel=1e-6)
    assert q.normal_cdf(a * p) == pytest.approx(scipy_stats.norm.cdf(a * p), rel=1e-12)
    assert q.t_cdf(-p, a) == pytest.approx(scipy_stats.t.cdf(-p, a), rel=1e-9)


@settings(deadline=None)
@given(n=st.integers(0, 5000), p=st.one_of(st.sampled_from([0.0, 1.0]), st.floats(1e-6, 1 - 1e-6)))
def test_binomials_against_scipy_stats(n: int, p: float):
    """Upper tails and probabilities of a binomial are SciPy's at every count, and beyond the ends 1 and 0."""
    counts = np.arange(n + 1)
    assert q.binomial_tail(counts, n, p) == pytest.approx(scipy_stats.binom.sf(counts - 1, n, p), rel=1e-7, abs=1e-200)
    assert q.binomial_pmf(counts, n, p) == pytest.approx(scipy_stats.binom.pmf(counts, n, p), rel=1e-7, abs=1e-200)
    assert q.binomial_tail([-1, n + 0.5], n, p).tolist() == [1.0, 0.0]


def test_import_leaves_scipy_alone():
    """Importing the room's modules loads no SciPy, and computing a kappa loads none either."""
    code = (
        "import sys; from fiel import stats; stats.cohen_kappa([0, 1], [0, 1]); "
        "sys.exit(any(name.split('.')[0] == 'scipy' for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
