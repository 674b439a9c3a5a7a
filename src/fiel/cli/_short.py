"""Names and values as a terminal shows them: on one line, not too long, and nothing in them acts. Knows no verb."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

from fiel.records import FielError, one_line

LONGEST = 80  # characters of a name or a value that is only quoted
LINE = 600  # characters of a line of talk, as of an error

_UNBROKEN = re.compile(rf"[^\s/\\]{{{LONGEST + 1},}}")  # a name, and no path
_COMMAND = re.compile(r"\bfiel [a-z]|--[a-z]")
_QUOTED = re.compile(r"""(?<![\w'"])(['"])((?:(?!\1)[^\\]|\\.)*)\1(?!\w)""", re.DOTALL)


def short(text: str, longest: int = LONGEST) -> str:
    r"""A name or a value in a sentence: one line, and of a long one the beginning.

    >>> short("two\nlines"), short("a\x1b[2J"), short("abcdef", 4)
    ('two ↵ lines', 'a⟨U+001B⟩[2J', 'abc…')
    """
    line = one_line(text[: longest + 1])  # no more of it is looked at: a text may be very long
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def listed(texts: Iterable[str], most: int = 12) -> str:
    """Names in a row, each of them short, and how many were left out.

    >>> listed(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    found = list(texts)
    shown = ", ".join(map(short, found[:most]))
    return shown if len(found) <= most else f"{shown} and {len(found) - most:,} more"


def word(name: str) -> str:
    """A name as a word of a command that is to be typed.

    >>> word("house"), word("the house; ls")
    ('house', "'the house; ls'")
    """
    return shlex.quote(one_line(name))


def counted(number: int, one: str) -> str:
    """A number with its noun.

    >>> counted(1, "label"), counted(2, "label")
    ('1 label', '2 labels')
    """
    return f"{number} {one}" if number == 1 else f"{number} {one}s"


def line(text: str) -> str:
    """A line of talk that may quote anything: long values in it are cut short, and so is the whole."""
    return short(clipped(text), LINE)


def clipped(sentence: str) -> str:
    """A sentence in which names and values are short: what stands in quotes, and words of more than `LONGEST` letters.

    >>> clipped(f"{'x y' * 100!r} is no option")[-24:], len(clipped("x" * 1000))
    (" yx yx yx…' is no option", 80)
    """
    return _UNBROKEN.sub(lambda found: short(found[0]), _in_quotes(sentence))


def told(error: FielError) -> list[str]:
    """The lines of an error, whatever room it comes from, with names and values short; a command stays as it is."""
    where = None if error.where is None else _in_quotes(error.where)
    fix = error.fix if error.fix is None or _COMMAND.search(error.fix) else clipped(error.fix)
    return str(FielError(clipped(error.what), where=where, fix=fix)).split("\n")


def _in_quotes(sentence: str) -> str:
    return _QUOTED.sub(lambda found: f"{found[1]}{short(found[2])}{found[1]}", sentence)
