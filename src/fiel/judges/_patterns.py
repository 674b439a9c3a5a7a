"""Regular expressions, compiled or refused in words. Knows no check and no schema."""

from __future__ import annotations

import re

import regex

from fiel.records import FielError

_REPEAT = re.compile(r"\{\d{7}")  # a million times and more: it is unrolled, and takes all memory


def compiled(pattern: str, *, ignore_case: bool = False) -> regex.Pattern[str]:
    """The pattern, ready to be matched.

    Raises:
        FielError: it is not a regular expression, or one that cannot be compiled.
    """
    if _REPEAT.search(pattern):
        raise _refused(pattern, "a repeat count of a million or more")
    try:
        return regex.compile(pattern, regex.IGNORECASE if ignore_case else 0)
    except RecursionError:
        raise _refused(pattern, "nested too deeply") from None
    except (regex.error, ValueError, OverflowError, MemoryError) as error:
        raise _refused(pattern, str(error) or type(error).__name__) from None


def _refused(pattern: str, why: str) -> FielError:
    shown = pattern if len(pattern) <= 60 else f"{pattern[:59]}…"
    return FielError(
        f"The pattern {shown!r} is not a regular expression that can be used: {why}.",
        fix="In TOML a pattern is best written in single quotes: '\\d+'.",
    )
