"""Text from data as data: what acts on a screen is written out. Knows no screen."""

from __future__ import annotations

import re

_UNSEEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, the escape of terminal sequences among them; not tab and line feed
    "\u2028\u2029"  # line breaks that are none to a reader
    "\u202a-\u202e\u2066-\u2069"  # overrides and isolates that reorder what stands around them
    "\ud800-\udfff\ufffe\uffff"  # no characters: no file can hold them
    "]"
)
_BREAKS = re.compile(r"[\t\n]+")


def visible(text: str) -> str:
    r"""The text with everything that acts on a screen instead of standing on it written out.

    >>> visible("a\x1b[31mb\u202ec")
    'a⟨U+001B⟩[31mb⟨U+202E⟩c'
    """
    return _UNSEEN.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    r"""The same on one line.

    >>> one_line("two\n\nlines")
    'two ↵ lines'
    """
    return _BREAKS.sub(lambda match: " ↵ " if "\n" in match[0] else " ", visible(text))
