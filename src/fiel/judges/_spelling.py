"""Which answer a written value means. Knows no reply."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from functools import lru_cache

INVISIBLE = "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff"
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", re.ASCII)


def fold(word: str) -> str:
    r"""A word without what does not change it: case, compatibility forms, white space, the invisible, a final stop.

    >>> fold(" Ｙes.\u200b"), fold("not  Sure")
    ('yes', 'not sure')
    """
    if not word.isascii():
        word = unicodedata.normalize("NFKC", _INVISIBLE.sub("", word))
        word = unicodedata.normalize("NFKC", word.casefold())
    return " ".join(word.lower().split()).rstrip(".").rstrip()


class Spellings:
    """How the answers of one criterion may be written.

    An exact key comes first, then an exact answer; then what a folded spelling or a number means, where it is one
    answer alone.
    """

    def __init__(self, keys: tuple[str, ...], answers: tuple[str, ...]) -> None:
        pairs = (*zip(keys, answers, strict=True), *zip(answers, answers, strict=True))
        self.all = tuple(dict.fromkeys(word for word, _ in pairs))
        self._exact = dict(reversed(pairs))  # the keys last: they win
        folded: dict[str, set[str]] = defaultdict(set)
        values: dict[float, set[str]] = defaultdict(set)
        for word, answer in pairs:
            folded[fold(word)].add(answer)
            value = _value(fold(word))
            if value is not None:
                values[value].add(answer)
        self._folded = {word: next(iter(meant)) for word, meant in folded.items() if word and len(meant) == 1}
        self._values = {value: next(iter(meant)) for value, meant in values.items() if len(meant) == 1}

    def answer(self, written: str) -> str | None:
        """The answer that `written` means, or None.

        >>> scale = Spellings(("0", "8", "10"), ("0", "8", "10"))
        >>> [scale.answer(word) for word in ("8", "8.0", " 8 ", "8.5", "85", "-8", "8/10", "true")]
        ['8', '8', '8', None, None, None, None, None]
        """
        exact = self._exact.get(written)
        if exact is not None:
            return exact
        folded = fold(written)
        meant = self._folded.get(folded)
        if meant is None and self._values:
            value = _value(folded)
            meant = None if value is None else self._values.get(value)
        return meant

    def grows(self, written: str) -> bool:
        """Whether another spelling begins with `written`: whether a cut may have shortened it."""
        return any(word != written and word.startswith(written) for word in self.all)


@lru_cache(maxsize=512)
def spellings(keys: tuple[str, ...], answers: tuple[str, ...]) -> Spellings:
    """Those of `Asked.keys` and `Asked.answers`, made once."""
    return Spellings(keys, answers)


def _value(word: str) -> float | None:
    return float(word) if _NUMBER.fullmatch(word) else None
