"""Tests of fiel.stats._quantiles."""

import subprocess
import sys

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


def test_import_leaves_scipy_alone():
    """Importing the room's modules loads no SciPy, and computing a kappa loads none either."""
    code = (
        "import sys; from fiel import stats; stats.cohen_kappa([0, 1], [0, 1]); "
        "sys.exit(any(name.split('.')[0] == 'scipy' for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
