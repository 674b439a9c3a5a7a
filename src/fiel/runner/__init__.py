"""Plan, ask, keep: every judgement that is missing is asked for once and kept before the next. Knows no label."""

from fiel.runner._bill import Bill, bill_of
from fiel.runner._build import check_model, judge_from
from fiel.runner._progress import Progress
from fiel.runner._run import judge

__all__ = ["Bill", "Progress", "bill_of", "check_model", "judge", "judge_from"]
