"""The data card of a calibration set: what is in it and how it came about, counted. Knows no statistic and no file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from fiel.records import CalibrationSet, Label, one_line

_ACTIVE = re.compile(r"([\\`*_{}\[\]<>|#~&])")  # what Markdown does not take as it stands
_RATER_HEAD = ("rater", "answers", "skipped", "flagged", "hidden repeats", "judge in reach")
_FROZEN = (
    "This folder is frozen: its files are those that `manifest.json` names, to the byte. A correction is a new set "
    "that names this one as its parent. `looks.jsonl` counts the uses and is not part of the set."
)
_WORDING = "The whole wording stands in `rubric.json`."
_IN_REACH = (
    "Names are those that the owner of the study gave. Answers with a judge's answer in reach are kept, and left out "
    "by default."
)
_KINDS = {
    "unknown": "nobody has said how",
    "random": "a simple random sample",
    "stratified": "a stratified random sample",
    "census": "all there was",
    "convenience": "what was at hand",
}


def to_card(calibration_set: CalibrationSet) -> bytes:
    """The card in Markdown; the same set has the same card."""
    rubric = calibration_set.rubric
    sections = [
        f"# Calibration set: {_text(calibration_set.name)}",
        _summary(calibration_set),
        _FROZEN,
        "## What was asked",
        f"Rubric {_text(rubric.id)}, language {_text(rubric.language)}, digest `{rubric.digest[:16]}`. {_WORDING}",
        _table(
            ("criterion", "question", "options, worst first", "scale"),
            [(x.id, x.question, " / ".join(x.options), x.scale) for x in rubric.criteria],
        ),
        "## How it was drawn",
        *_design(calibration_set),
        "## Who answered",
        _table(_RATER_HEAD, [_rater(name, labels) for name, labels in _by_rater(calibration_set.labels)]),
        _IN_REACH,
        *_decisions(calibration_set),
    ]
    return ("\n\n".join(section for section in sections if section) + "\n").encode()


def _summary(calibration_set: CalibrationSet) -> str:
    subjects = _counted(len(calibration_set.items), "item")
    if calibration_set.pairs:
        pairs = _counted(len(calibration_set.pairs), "pair")
        subjects = f"{subjects} and {pairs}" if calibration_set.items else pairs
    raters = _counted(len({label.rater for label in calibration_set.labels}), "rater")
    decided = _counted(len(calibration_set.adjudications), "decision")
    parent = f" It corrects the set `{calibration_set.parent[:16]}`." if calibration_set.parent else ""
    return (
        f"{subjects}, {raters}, {_counted(len(calibration_set.labels), 'label')}, {decided}. "
        f"Digest `{calibration_set.digest[:16]}`.{parent}"
    )


def _design(calibration_set: CalibrationSet) -> list[str]:
    design = calibration_set.design
    said = [f"Kind: {design.kind}, {_KINDS[design.kind]}."]
    if design.frame is not None:
        said.append(f"Frame: {_counted(design.frame, 'item')}.")
    if design.seed is not None:
        said.append(f"Seed: {design.seed}.")
    if design.planned is not None:
        said.append(f"Planned: {_counted(design.planned, 'item')}.")
    if design.reason is not None:
        said.append(f"Why so many: {_text(design.reason)}.")
    if design.stages:
        said.append(f"Topped up by {', '.join(str(stage) for stage in design.stages)}.")
    if design.weights:
        said.append("The weights stand in `design.json`; every estimate needs them.")
    strata = [(stratum.name, stratum.size, stratum.drawn) for stratum in design.strata]
    return [" ".join(said), _table(("stratum", "size", "drawn"), strata)]


def _decisions(calibration_set: CalibrationSet) -> list[str]:
    if not calibration_set.adjudications:
        return []
    counts = Counter((one.criterion, one.reason or "not said") for one in calibration_set.adjudications)
    rows = [(criterion, reason, number) for (criterion, reason), number in sorted(counts.items())]
    return ["## What was decided", _table(("criterion", "reason", "decisions"), rows)]


def _rater(name: str, labels: Sequence[Label]) -> tuple[str | int, ...]:
    first = [label for label in labels if label.repeat == 0]
    return (
        name,
        sum(label.answer is not None for label in first),
        sum(label.answer is None for label in first),
        sum(label.flag for label in first),
        len(labels) - len(first),
        sum(label.blind is False or label.judge_seen for label in labels),
    )


def _by_rater(labels: Iterable[Label]) -> list[tuple[str, list[Label]]]:
    found: dict[str, list[Label]] = {}
    for label in labels:
        found.setdefault(label.rater, []).append(label)
    return sorted(found.items())


def _table(head: Sequence[str], rows: Sequence[Sequence[str | int]]) -> str:
    """A table; nothing where there are no rows. Numbers stand right."""
    if not rows:
        return ""
    rule = ["---:" if isinstance(cell, int) else "---" for cell in rows[0]]
    lines = [head, rule, *([_text(str(cell)) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _text(text: str) -> str:
    """A text on one line, in which nothing acts."""
    return _ACTIVE.sub(r"\\\1", one_line(text))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
