"""Records become tables, tables become figures and words. Pure: the same inputs give the same result. Knows no file."""

from fiel.measures._estimate import estimate
from fiel.measures._evidence import gate_evidence
from fiel.measures._gate import gate
from fiel.measures._rates import rates
from fiel.measures._results import (
    Certainty,
    CriterionValidation,
    Decision,
    Funnel,
    Rate,
    Validation,
    Verdict,
    Word,
)
from fiel.measures._validate import validate

__all__ = [
    "Certainty",
    "CriterionValidation",
    "Decision",
    "Funnel",
    "Rate",
    "Validation",
    "Verdict",
    "Word",
    "estimate",
    "gate",
    "gate_evidence",
    "rates",
    "validate",
]
