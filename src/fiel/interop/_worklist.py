"""Work lists as files to be filled in: CSV for a spreadsheet, JSON Lines for a program. Decides nothing."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from fiel.interop._spreadsheet import harmless, kept, shortened
from fiel.measures import JudgeSaid, WorkItem, Worklist
from fiel.records import Evidence, FielError, Item, encode_lines, visible

ENDINGS = (".csv", ".jsonl")
FILL_IN = ("decision", "by", "reason", "note")
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
    answers come back as they were. Texts are shortened to what a cell holds. JSON Lines: everything, nested.

    Args:
        listed: the list.
        items: those that it is about, and perhaps more.
        parent: the digest of the calibration set that is to be revised, as it was frozen; None for plain labels.
        ending: ".csv" or ".jsonl".
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
    raters = sorted({rater for work in works for rater in work.answers})
    judges = sorted({said.judge for work in works for said in work.judges})
    given = [name for name in _TEXTS if any(name in texts[work.item] for work in works)]
    rows = []
    for work in works:
        said = {one.judge: one for one in work.judges}
        rows.append(
            {
                "item": kept(work.item),
                "criterion": kept(work.criterion),
                "question": _shown(work.question),
                "options": kept(" | ".join(work.options)),
                "gold": kept(work.gold or ""),
                "gold_from": work.gold_from,
                **{f"rater {name}": kept(work.answers.get(name, "")) for name in raters},
                **{column: cell for name in judges for column, cell in _judge(name, said.get(name)).items()},
                **{f"item {name}": _shown(texts[work.item].get(name, "")) for name in given},
                "looks_like": work.looks_like,
                "why": _shown(work.why),
                "drawn": work.drawn,
                "set": kept(parent or ""),
                **dict.fromkeys(FILL_IN, ""),
            }
        )
    return rows


def _judge(name: str, said: JudgeSaid | None) -> dict[str, str]:
    """What one judge said, in columns of its own."""
    answer = "" if said is None else said.answer
    return {
        f"judge {name}": f"none: {said.status}" if said is not None and answer is None else kept(answer or ""),
        f"judge {name}: probability": "" if said is None or said.probability is None else f"{said.probability:.4f}",
        f"judge {name}: reason": "" if said is None else _shown(said.reason or ""),
        f"judge {name}: evidence": "" if said is None else _shown("\n".join(map(_quoted, said.evidence))),
    }


def _quoted(evidence: Evidence) -> str:
    where = f"in the {evidence.field}" if evidence.found else f"not found in the {evidence.field}"
    return f"“{evidence.text}” ({where})"


def _shown(text: str) -> str:
    return harmless(shortened(visible(text)))
