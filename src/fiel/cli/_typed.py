"""The command that makes a result again, as it can be typed. Knows no verb."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fiel.records import visible

_OPTIONS = {"slices": "slice", "preferences": "preference", "as_random": "as-random"}
_DEFAULTS = {"bar": 0.85, "confidence": 0.95, "epsilon": 0.2, "fewest": 5, "gold": "majority"}


def typed(verb: str, labels: Path | None, **options: Any) -> str:
    """The command with those options that are not as they are without saying so.

    Args:
        verb: of fiel.
        labels: what it was given; None for nothing.
        options: by name; None, False and nothing are left out, a list stands once for each.

    >>> typed("validate", Path("my labels.csv"), judge="floor", bar=0.85, slices=("route", "channel"))
    "fiel validate 'my labels.csv' --judge floor --slice route --slice channel"
    >>> typed("estimate", None, systems=("a", "b"), as_random=True)
    'fiel estimate --systems a b --as-random'
    """
    words = ["fiel", verb, *([str(labels)] if labels else [])]
    for name, value in options.items():
        if value not in (None, False, (), _DEFAULTS.get(name)):
            words += _said(f"--{_OPTIONS.get(name, name)}", value, once=name == "systems")
    return visible(shlex.join(words))


def _said(option: str, value: Any, *, once: bool) -> Iterator[str]:
    if value is True:
        yield option
    elif once or not isinstance(value, tuple):
        yield from (option, *(map(str, value) if isinstance(value, tuple) else [str(value)]))
    else:
        for one in value:
            yield from (option, str(one))
