"""fiel checks language-model judges: what they believe, whether they agree with people, what their figures are worth.

The public names are loaded on first use: `import fiel` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fiel import stats as stats
    from fiel.judges import Judge as Judge
    from fiel.judges import LLMJudge as LLMJudge
    from fiel.measures import Decision as Decision
    from fiel.measures import Validation as Validation
    from fiel.measures import estimate as estimate
    from fiel.measures import gate as gate
    from fiel.measures import plan as plan
    from fiel.measures import validate as validate
    from fiel.records import CalibrationSet as CalibrationSet
    from fiel.records import Criterion as Criterion
    from fiel.records import Design as Design
    from fiel.records import Distribution as Distribution
    from fiel.records import FielError as FielError
    from fiel.records import Item as Item
    from fiel.records import Judgement as Judgement
    from fiel.records import Label as Label
    from fiel.records import Pair as Pair
    from fiel.records import Rubric as Rubric
    from fiel.runner import judge as judge
    from fiel.stats import Estimate as Estimate
    from fiel.store.project import Project as Project

__version__ = "0.1.0"

_HOMES = {
    "fiel.records": (
        "CalibrationSet",
        "Criterion",
        "Design",
        "Distribution",
        "FielError",
        "Item",
        "Judgement",
        "Label",
        "Pair",
        "Rubric",
    ),
    "fiel.stats": ("Estimate",),
    "fiel.judges": ("Judge", "LLMJudge"),
    "fiel.measures": ("Decision", "Validation", "estimate", "gate", "plan", "validate"),
    "fiel.runner": ("judge",),
    "fiel.store.project": ("Project",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", "stats", *sorted(_HOME_OF)]  # noqa: PLE0604  every entry is a string


def __getattr__(name: str) -> Any:
    if name == "stats":
        return importlib.import_module("fiel.stats")
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'fiel' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
