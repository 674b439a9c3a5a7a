"""Work lists as files to be filled in: CSV for a spreadsheet, JSON Lines for a program. Decides nothing."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

import msgspec

from fiel.interop._spreadsheet import harmless, kept, shortened
from fiel.measures import JudgeSaid, WorkItem, Worklist
from fiel.records import Evidence, FielError, Item, encode_lines, one_line, visible

ENDINGS = (".csv", ".jsonl")
FILL_IN = ("decision", "by", "reason", "note")
_SAID = ("", ": probability", ": reason", ": evidence")  # the columns of a judge, by what its name is followed by
_TEXTS = {"question": "input", "context": "context", "answer": "output", "reference": "reference"}


def check_ending(path: Path) -> str:
    """How a work list of this name is written: ".csv" or ".jsonl".

    Raises:
        FielError: it ends in something else.
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise FielError(
            f"No work list ends in {path.suffix!r}." if path.suffix else "A work list has an ending.",
            where=str(path),
            fix="Name it .csv, for a spreadsheet, or .jsonl.",
        )
    return ending


def worklist_file(listed: Worklist, items: Iterable[Item], *, parent: str | None, ending: str) -> bytes:
    """The list as a file, with the texts of its items, and empty columns for who decides.

    CSV: UTF-8 with a byte order mark, so that spreadsheets read it as such; no cell runs as a formula, and names and
    answers come back as they were. No two columns are called alike: a name that would make it so stands in quotes.
    Texts are shortened to what a cell holds. JSON Lines: everything, nested.

    Args:
        listed: the list.
        items: those that it is about, and perhaps more.
        parent: the digest of the calibration set that is to be revised, as it was frozen; None for plain labels.
        ending: ".csv" or ".jsonl".

    Raises:
        FielError: two judges have one name, and no column of a CSV could tell who said what.
    """
    texts = {item.id: _texts(item) for item in items}
    if ending == ".jsonl":
        return encode_lines(_line(work, texts[work.item], parent) for work in listed.items)
    rows = _rows(listed.items, texts, parent)
    columns = tuple(dict.fromkeys(name for row in rows for name in row)) or ("set", "item", "criterion", *FILL_IN)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode("utf-8-sig")


def _texts(item: Item) -> dict[str, str]:
    """The texts of an item that there are, by what they are to whoever decides."""
    found = {name: getattr(item, field) for name, field in _TEXTS.items()}
    return {name: text for name, text in found.items() if text}


def _line(work: WorkItem, texts: Mapping[str, str], parent: str | None) -> dict[str, Any]:
    known = msgspec.to_builtins(work)
    empty = {name: known.pop(name) for name in FILL_IN}
    return {"set": parent, **known, "texts": texts, **empty}


def _rows(
    works: Sequence[WorkItem], texts: Mapping[str, Mapping[str, str]], parent: str | None
) -> list[dict[str, Any]]:
    """The rows of a spreadsheet, every one with every column in the same order."""
    raters = _heads("rater", sorted({rater for work in works for rater in work.answers}))
    judges = _heads("judge", sorted({said.judge for work in works for said in work.judges}), _SAID)
    given = [name for name in _TEXTS if any(name in texts[work.item] for work in works)]
    rows = []
    for work in works:
        said = {one.judge: one for one in work.judges}
        if len(said) < len(work.judges):
            twice = next(one.judge for one in work.judges if one is not said[one.judge])
            raise FielError(f"Two judges are called {twice!r}.", fix="Rename one of them, or list them one by one.")
        rows.append(
            {
                "item": kept(work.item),
                "criterion": kept(work.criterion),
                "question": _shown(work.question),
                "options": kept(" | ".join(work.options)),
                "gold": kept(work.gold or ""),
                "gold_from": work.gold_from,
                **{head: kept(work.answers.get(name, "")) for name, head in raters.items()},
                **{column: cell for name, head in judges.items() for column, cell in _judge(head, said.get(name))},
                **{f"item {name}": _shown(texts[work.item].get(name, "")) for name in given},
                "looks_like": work.looks_like,
                "why": _shown(work.why),
                "drawn": work.drawn,
                "set": kept(parent or ""),
                **dict.fromkeys(FILL_IN, ""),
            }
        )
    return rows


def _heads(kind: str, names: Iterable[str], ends: Sequence[str] = ("",)) -> dict[str, str]:
    """For each name what its columns begin with, so that no two columns are called alike, spaces around them aside."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain, quoted = f"{kind} {one_line(name)}", f"{kind} “{one_line(name)}”"
        tries = chain((plain, quoted), (f"{quoted} ({number})" for number in count(2)))
        head = next(head for head in tries if taken.isdisjoint(f"{head}{end}".strip() for end in ends))
        taken.update(f"{head}{end}".strip() for end in ends)
        found[name] = head
    return found


def _judge(head: str, said: JudgeSaid | None) -> Iterable[tuple[str, str]]:
    """What one judge said, in columns of its own."""
    if said is None:
        return ((f"{head}{end}", "") for end in _SAID)
    cells = (
        f"none: {said.status}" if said.answer is None else kept(said.answer),
        "" if said.probability is None else f"{said.probability:.4f}",
        _shown(said.reason or ""),
        _shown("\n".join(map(_quoted, said.evidence))),
    )
    return ((f"{head}{end}", cell) for end, cell in zip(_SAID, cells, strict=True))


def _quoted(evidence: Evidence) -> str:
    where = f"in the {evidence.field}" if evidence.found else f"not found in the {evidence.field}"
    return f"“{evidence.text}” ({where})"


def _shown(text: str) -> str:
    return harmless(shortened(visible(text)))
