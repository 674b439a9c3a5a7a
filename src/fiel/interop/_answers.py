"""Cells as answers: which spelling means which option, what does not apply, what lies off the scale. Knows no table."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Hashable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from fiel.records import Criterion
from fiel.store.tables import as_text

Kind: TypeAlias = Literal["option", "inapplicable", "blank", "off"]

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_NOT_APPLICABLE = frozenset({"not applicable", "n/a", "na", "inapplicable"})


class Answer(NamedTuple):
    """What a cell says: an option, or as it stands there what is none."""

    kind: Kind
    text: str


def spelled(cell: Any) -> str | None:
    """A cell as a word in one spelling, in which equal numbers are equal; None where there is nothing.

    >>> spelled(1.0), spelled(" 1.0 "), spelled("Yes "), spelled(True), spelled("")
    ('1', '1', 'Yes', 'true', None)
    """
    return _spelling((as_text(cell) or "").strip()) if cell is not None else None


@lru_cache(maxsize=4096)
def _spelling(text: str) -> str | None:
    value = number(text)
    if value is None:
        return unicodedata.normalize("NFC", text) or None
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def number(text: str) -> float | None:
    """The finite number that a text is, or None.

    >>> number("4.50"), number("4,5"), number("1_0"), number("1e999")
    (4.5, None, None, None)
    """
    value = float(text) if _NUMBER.fullmatch(text) else None
    return value if value is not None and abs(value) < float("inf") else None


def folded(text: str) -> str:
    """A spelling without capitals."""
    return text.casefold()


def says_not_applicable(text: str) -> bool:
    """Whether a word is one of those for "not applicable".

    >>> says_not_applicable("N/A"), says_not_applicable("not_applicable"), says_not_applicable("n/a: resolved")
    (True, True, False)
    """
    return folded(text).replace("_", " ") in _NOT_APPLICABLE


class Scale:
    """The options of one criterion, and how cells are read by them.

    Args:
        criterion: whose options they are.
        not_applicable: further spellings of "not applicable", such as "0"; they are never an option.
        levels: whether a number is rounded to the nearest option, halves upwards.
        span: the lowest and the highest number that is rounded; the lowest and the highest option when None.
    """

    def __init__(
        self,
        criterion: Criterion,
        *,
        not_applicable: Collection[str] = (),
        levels: bool = False,
        span: tuple[float, float] | None = None,
    ) -> None:
        self.criterion = criterion
        self._beside = frozenset(not_applicable)
        self._exact = {spelled(option): option for option in criterion.options}
        self._loose = _unique([(folded(spelled(option) or ""), option) for option in criterion.options])
        self._levels = [(Decimal(option.strip()), option) for option in criterion.options] if levels else []
        values = [float(level) for level, _ in self._levels]
        self._span = span or ((min(values), max(values)) if values else (0.0, 0.0))
        self._known: dict[tuple[type, Hashable], Answer] = {}

    @property
    def rounds(self) -> bool:
        """Whether numbers are rounded to the options."""
        return bool(self._levels)

    def read(self, cell: Any) -> Answer:
        """What a cell says."""
        key = (type(cell), cell if isinstance(cell, Hashable) else repr(cell))
        if key not in self._known:
            self._known[key] = self._read(spelled(cell))
        return self._known[key]

    def _read(self, text: str | None) -> Answer:
        if text is None:
            return Answer("blank", "")
        if text in self._beside or folded(text) in self._beside:
            return Answer("inapplicable", text)
        option = self._exact.get(text) or self._loose.get(folded(text)) or self._nearest(text)
        if option is not None:
            return Answer("option", option)
        if self.criterion.applies_when is not None and says_not_applicable(text):
            return Answer("inapplicable", text)
        return Answer("off", text)

    def _nearest(self, text: str) -> str | None:
        value = number(text)
        if value is None or not self._levels or not self._span[0] <= value <= self._span[1]:
            return None
        exact = Decimal(text)
        return min(self._levels, key=lambda level: (abs(level[0] - exact), -level[0]))[1]


def _unique(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The spellings that one option has and no other."""
    spellings = [spelling for spelling, _ in pairs]
    return {spelling: option for spelling, option in pairs if spellings.count(spelling) == 1}
