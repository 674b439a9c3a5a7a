"""Names as names of files, whatever they are: nothing leaves its folder, on any system. Knows no file's content."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from fiel.records import FielError

_PLAIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,58}[A-Za-z0-9_-])?")
_OUR_OWN = re.compile(r"(?:.*-)?[0-9a-f]{16}")  # as `file_stems` makes them
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?", re.IGNORECASE)
_NOT_PLAIN = re.compile(r"[^a-z0-9]+")


def check_name(name: str, *, of: str) -> str:
    """The name, if a file or folder can have it everywhere.

    Raises:
        FielError: it cannot.
    """
    if not _PLAIN.fullmatch(name) or _DEVICES.fullmatch(name):
        raise FielError(
            f"{name[:80]!r} cannot be the name of {of}.",
            where="name",
            fix="Use up to 60 ASCII letters, digits, dots, hyphens and underscores; begin with a letter or digit.",
        )
    return name


def file_stems(names: Iterable[str]) -> dict[str, str]:
    """For each name that of a file, without ending; no two are the same where capitals do not count.

    A plain name stays as it is; any other becomes what is plain of it, and a piece of its SHA-256.

    >>> file_stems(["ana", "../x", "CON"])
    {'../x': 'x-d6b96a97d147daaa', 'CON': 'con-a3dbc4b644a9a2c5', 'ana': 'ana'}
    """
    listed = sorted(set(names))
    alike = Counter(name.casefold() for name in listed)
    return {name: name if _is_plain(name) and alike[name.casefold()] == 1 else _made(name) for name in listed}


def _is_plain(name: str) -> bool:
    return bool(_PLAIN.fullmatch(name)) and not _DEVICES.fullmatch(name) and not _OUR_OWN.fullmatch(name.casefold())


def _made(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    readable = _NOT_PLAIN.sub("-", plain).strip("-")[:30].strip("-")
    return "-".join([*([readable] if readable else []), hashlib.sha256(name.encode()).hexdigest()[:16]])
