"""Plan, ask, keep: every judgement that is missing is asked for once and kept before the next. Knows no label."""

from fiel.runner._build import judge_from
from fiel.runner._run import Progress, judge

__all__ = ["Progress", "judge", "judge_from"]
