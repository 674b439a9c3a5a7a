"""Ways of judging: a judge is an async callable from a subject to judgements. Knows no label and no file."""

from fiel.judges._baseline import Baseline
from fiel.judges._checks import CheckOutcome, check_judgements, decide
from fiel.judges._judge import Judge
from fiel.judges._rubric_check import look_over

__all__ = ["Baseline", "CheckOutcome", "Judge", "check_judgements", "decide", "look_over"]
