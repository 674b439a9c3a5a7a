"""Ways of judging: a judge is an async callable from a subject to judgements. Knows no label and no file."""

from fiel.judges._asking import ask
from fiel.judges._baseline import Baseline
from fiel.judges._checks import CheckOutcome, check_judgements, check_rubric, decide
from fiel.judges._family import same_family
from fiel.judges._imported import Imported
from fiel.judges._judge import Judge
from fiel.judges._llm import LLMJudge, Settings
from fiel.judges._reply import read_reply
from fiel.judges._rubric_check import look_over

__all__ = [
    "Baseline",
    "CheckOutcome",
    "Imported",
    "Judge",
    "LLMJudge",
    "Settings",
    "ask",
    "check_judgements",
    "check_rubric",
    "decide",
    "look_over",
    "read_reply",
    "same_family",
]
