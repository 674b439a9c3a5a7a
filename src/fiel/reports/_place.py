"""A part of a report with its address in the JSON, so that a page says of every figure which one it is. No medium."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias, overload
from urllib.parse import quote

Key: TypeAlias = str | int


class Place:
    """Something in a report, reached by attributes and indices as in the report itself; false where it is empty.

    It has no text of its own: what is shown of it goes through a rule of writing.
    """

    __slots__ = ("_part", "_path")

    def __init__(self, part: Any, path: tuple[Key, ...] = ()) -> None:
        self._part = part
        self._path = path

    def __getattr__(self, name: str) -> Place:
        return Place(getattr(self._part, name), (*self._path, name))

    @overload
    def __getitem__(self, key: Key) -> Place: ...

    @overload
    def __getitem__(self, key: slice) -> tuple[Place, ...]: ...

    def __getitem__(self, key: Key | slice) -> Place | tuple[Place, ...]:
        if isinstance(key, slice):
            return tuple(self[number] for number in range(len(self))[key])
        return Place(self._part[key], (*self._path, key))

    def __iter__(self) -> Iterator[Place]:
        return (Place(part, (*self._path, number)) for number, part in enumerate(self._part))

    def __len__(self) -> int:
        return len(self._part)

    def __bool__(self) -> bool:
        return self._part is not None and self._part is not False and self._part not in ("", (), {}, 0)

    def __str__(self) -> str:
        raise TypeError(f"{pointer(self)} is shown without a rule")


def raw(place: Any) -> Any:
    """What stands at a place; anything else as it is."""
    return place._part if isinstance(place, Place) else place  # noqa: SLF001  the one way out


def pointer(place: Place) -> str:
    """Its address in the JSON: a pointer (RFC 6901) as a fragment of an address, which holds no active character.

    >>> pointer(Place({"a/b": (1, 2)})["a/b"][1])
    '#/a~1b/1'
    """
    keys = (str(key).replace("~", "~0").replace("/", "~1") for key in place._path)  # noqa: SLF001  the other
    return "#" + "".join(f"/{quote(key, safe='~', errors='surrogatepass')}" for key in keys)


def entries(place: Place) -> tuple[tuple[str, Place], ...]:
    """The entries of a mapping, sorted by name."""
    held: Mapping[str, Any] = raw(place)
    return tuple((name, place[name]) for name in sorted(held))


def down(place: Place, *path: Key) -> Place:
    """The place that a path leads to."""
    for key in path:
        place = place[key] if isinstance(key, int) or isinstance(raw(place), Mapping) else getattr(place, key)
    return place
