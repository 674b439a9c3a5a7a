"""One pass over ratings: which patterns of codes occur, and how often. Knows no coefficient.

Everything that this room says about agreement is a function of these counts, so its cost after the pass does not grow
with the number of items. The pass works through blocks of narrow integers.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fiel.stats._agreement_codes import Codes, Counts

_BLOCK = 1 << 18
_FEW_CELLS, _SOME_CELLS, _MOST_CELLS = 1 << 14, 1 << 16, 1 << 21
_WIDEST = 1 << 62

Keys = NDArray[np.unsignedinteger[Any]]
KeysOf = Callable[[slice], Keys]  # of some of the items
Order = Literal["kept", "dropped", "any"]


class Patterns(NamedTuple):
    """Distinct rows of codes, shape (patterns, raters), with their counts, and the pattern of each item if asked."""

    codes: NDArray[np.int64]
    counts: Counts
    of_item: NDArray[np.intp] | None


def count_cells(columns: Sequence[Codes], categories: int, *, complete: bool) -> Counts:
    """How often each row of codes occurs: shape (categories + 1,) per rater, flat, with missing as the first code.

    The raters' `columns` hold codes from -1 to categories - 1, in integers of any width; `complete` says that no code
    is missing.
    """
    if len(columns) == 2 and complete and len(columns[0]):
        counts = np.zeros((categories + 1, categories + 1), dtype=np.int64)
        counts[1:, 1:] = _count_known(columns[0], columns[1], categories)
        return counts.ravel()
    return _count(_of_columns(columns, categories + 1, 1), len(columns[0]), (categories + 1) ** len(columns))


def _count_known(a: Codes, b: Codes, categories: int) -> Counts:
    """Nothing missing: one axis for each rater. Of two categories three counts of ones are enough."""
    if categories == 2:
        ones, others, both = np.count_nonzero(a), np.count_nonzero(b), np.count_nonzero(a & b)
        return np.array([[len(a) - ones - others + both, others - both], [ones - both, both]], dtype=np.int64)
    return _count(_of_columns((a, b), categories, 0), len(a), categories**2).reshape(categories, categories)


def _count(keys_of: KeysOf, length: int, cells: int) -> Counts:
    """How often each of `cells` keys occurs in `length` items."""
    together = 1
    while together < 4 and cells ** (together + 1) <= min(_SOME_CELLS, length // 16):
        together += 1
    counts = np.zeros(cells, dtype=np.int64)
    joint = np.zeros(cells**together, dtype=np.int64)
    for start in range(0, length, _BLOCK):
        keys = keys_of(slice(start, min(start + _BLOCK, length)))
        part = len(keys) // together
        joint += np.bincount(_joined(keys, part, together, cells), minlength=len(joint))
        if part * together < len(keys):
            counts += np.bincount(keys[part * together :], minlength=cells)
    for _ in range(together - 1):
        table = joint.reshape(cells, -1)
        counts += table.sum(axis=1)
        joint = table.sum(axis=0)
    return counts + joint


def count_margins(a: Codes, b: Codes, categories: int) -> tuple[int, Counts, Counts]:
    """Of few categories, nothing missing: how many codes are equal, and how often `a` and `b` hold each code.

    Comparing bytes is quicker than counting cells.
    """
    equal, rows, columns = 0, np.zeros(categories, dtype=np.int64), np.zeros(categories, dtype=np.int64)
    for start in range(0, len(a), _BLOCK):
        first, second = (codes[start : start + _BLOCK].astype(np.int8, copy=False) for codes in (a, b))
        equal += int(np.count_nonzero(first == second))
        for codes, counts in ((first, rows), (second, columns)):
            counts[0] += len(codes) - np.count_nonzero(codes)
            for code in range(1, categories - 1):
                counts[code] += np.count_nonzero(codes == code)
    rows[-1], columns[-1] = len(a) - rows.sum(), len(b) - columns.sum()
    return equal, rows, columns


def _joined(keys: Keys, part: int, together: int, cells: int) -> Keys:
    """Two or three items in one number, where that is few enough to count: counting is what takes the time."""
    if together == 1:
        return keys
    joined: Keys = keys[:part].astype(np.uint16)
    for place in range(1, together):
        joined *= np.uint16(cells)
        joined += keys[place * part : (place + 1) * part]
    return joined


def tally(table: Codes, categories: int, *, order: Order = "kept", index: bool = False) -> Patterns:
    """The distinct rows of a table of codes, shape (items, raters), with their counts.

    With order="dropped", rows with the same codes in another order are one pattern; "any" leaves that to what is
    quicker. `index` asks for the pattern of each item too.
    """
    items, raters = table.shape
    cells = (categories + 1) ** raters
    if not items or not raters:
        return Patterns(np.full((min(items, 1), raters), -1), np.full(min(items, 1), items), _nowhere(items, index))
    by_votes = order != "kept" and (raters + 1) ** categories < _WIDEST
    if cells <= (_FEW_CELLS if by_votes else min(max(_SOME_CELLS, 2 * items), _MOST_CELLS)):
        found = _by_cells(table, categories, index=index, merged=order != "kept" and raters > 1 and cells <= _FEW_CELLS)
        return _merged(found, categories) if order == "dropped" and cells > _FEW_CELLS else found
    if by_votes:
        return _by_votes(table, categories, index=index)
    return _by_columns(table if order == "kept" else np.sort(table, axis=1), categories, index=index)


def _keys_of_rows(table: NDArray[np.int8], base: int) -> Keys:
    """Each row is read as one number of 64 bits, and one product has all its digits together in one byte.

    The byte of place `raters - 1` is the sum of code + 1 times a power of `base`. No lower byte reaches 256, so nothing
    is carried; what a row reads of the next ones stands above.
    """
    items, raters = table.shape
    digits = np.empty(items * raters + 8, dtype=np.uint8)
    digits[-8:] = 0
    np.add(table.view(np.uint8).ravel(), np.uint8(1), out=digits[: items * raters])
    rows: NDArray[np.uint64] = np.ndarray((items,), dtype="<u8", buffer=digits, strides=(raters,))
    products = rows * np.uint64(sum(base**place << 8 * place for place in range(raters)))
    keys: Keys = products.astype("<u8", copy=False).view(np.uint8)[raters - 1 :: 8]
    return keys


def _of_columns(columns: Sequence[Codes], base: int, missing: int) -> KeysOf:
    """From each rater's codes; `missing` is 1 where one may be -1."""
    cells = base ** len(columns)
    width = np.dtype(np.uint8 if cells <= 1 << 8 else np.uint16 if cells <= 1 << 16 else np.uint32)

    def keys_of(part: slice) -> Keys:
        keys: Keys = columns[0][part].astype(width)  # -1 wraps around; the last sum mends it
        for column in columns[1:]:
            keys *= width.type(base)
            keys += column[part].astype(width)
        if missing:
            keys += width.type(sum(base**place for place in range(len(columns))))
        return keys

    return keys_of


def _by_cells(table: Codes, categories: int, *, merged: bool, index: bool) -> Patterns:
    (items, raters), base = table.shape, categories + 1
    cells, keys = base**raters, None
    if index:
        keys = _of_table(table, base)(slice(0, items))
        counts = np.bincount(keys, minlength=cells)
    elif raters == 2:
        counts = count_cells(_columns(table), categories, complete=int(table.min()) >= 0)
    else:
        counts = _count(_of_table(table, base), items, cells)
    if merged:
        rows, place = _without_order(base, raters)
        counts = np.bincount(place, weights=counts, minlength=len(rows)).astype(np.int64)
        found = np.flatnonzero(counts)
        codes = rows[found]
    else:
        place, found = None, np.flatnonzero(counts)
        codes = np.stack(np.unravel_index(found, (base,) * raters), axis=1) - 1
    if keys is None:
        return Patterns(codes, counts[found], None)
    where = np.zeros(len(counts), dtype=np.intp)
    where[found] = np.arange(len(found))
    return Patterns(codes, counts[found], where[keys if place is None else place[keys]])


@lru_cache(maxsize=16)
def _without_order(base: int, raters: int) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """The rows of codes that differ in more than their order, and to which of them each cell belongs."""
    rows = np.sort(np.indices((base,) * raters).reshape(raters, -1).T, axis=1)
    _, first, place = np.unique(rows @ base ** np.arange(raters), return_index=True, return_inverse=True)
    return rows[first] - 1, place


def _merged(found: Patterns, categories: int) -> Patterns:
    """The same patterns where the order of the raters does not matter."""
    codes = np.sort(found.codes, axis=1)
    places = np.int64(categories + 1) ** np.arange(codes.shape[1], dtype=np.int64)
    _, first, inverse = np.unique((codes + 1) @ places, return_index=True, return_inverse=True)
    counts = np.bincount(inverse, weights=found.counts).astype(np.int64)
    return Patterns(codes[first], counts, None if found.of_item is None else inverse[found.of_item])


def _of_table(table: Codes, base: int) -> KeysOf:
    """The keys of codes that may be missing, in the way that is quickest for such a table."""
    raters = table.shape[1]
    if 3 <= raters <= 8 and base**raters <= 1 << 8 and table.dtype == np.int8 and table.flags.c_contiguous:
        return lambda part: _keys_of_rows(table[part], base)
    return _of_columns(_columns(table), base, 1)


def _columns(table: Codes) -> list[Codes]:
    return list(np.ascontiguousarray(table.T))  # one copy: strides cost more


def _by_votes(table: Codes, categories: int, *, index: bool) -> Patterns:
    """By how many raters chose each category: for many raters and few categories."""
    items, raters = table.shape
    places = (raters + 1) ** np.arange(categories, dtype=np.int64)
    worth = np.append(places, 0)  # the code -1 is the last
    if (raters + 1) ** categories < 1 << 32:
        worth = worth.astype(np.uint32)
    keys = worth[table[:, 0]]
    for column in table.T[1:]:
        for start in range(0, items, _BLOCK):
            keys[start : start + _BLOCK] += worth[column[start : start + _BLOCK]]
    distinct, inverse, counts = _unique(keys, index=index)
    votes = distinct.astype(np.int64)[:, None] // places % (raters + 1)
    votes = np.column_stack([raters - votes.sum(axis=1), votes])
    codes = np.repeat(np.tile(np.arange(-1, categories), len(votes)), votes.ravel()).reshape(-1, raters)
    return Patterns(codes, counts, inverse)


def _unique(keys: Codes, *, index: bool) -> tuple[Codes, NDArray[np.intp] | None, Counts]:
    if index:
        distinct, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
        return distinct, inverse, counts
    distinct, counts = np.unique(keys, return_counts=True)
    return distinct, None, counts


def _by_columns(table: Codes, categories: int, *, index: bool) -> Patterns:
    """Rater by rater, with the keys so far numbered anew when they grow beyond 64 bits."""
    keys, span = np.zeros(len(table), dtype=np.int64), 1
    for column in table.T:
        if span * (categories + 1) > _WIDEST:
            distinct, keys = np.unique(keys, return_inverse=True)
            span = len(distinct)
        keys = keys * (categories + 1) + column.astype(np.int64) + 1
        span *= categories + 1
    _, first, inverse, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    return Patterns(table[first].astype(np.int64), counts, inverse if index else None)


def _nowhere(items: int, index: bool) -> NDArray[np.intp] | None:  # noqa: FBT001  (passed on)
    return np.zeros(items, dtype=np.intp) if index else None
