"""A report as a short comment in Markdown, for a pull request. Knows no forge and no file."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fiel.reports._bundle import Report
from fiel.reports._numbers import full, given, probability
from fiel.reports._text import marked, one_line, parts
from fiel.reports._view import Row, gates, headlines, identities, look_at, name_of, rows, warnings
from fiel.stats import Estimate

_ACTIVE = re.compile(r"[\\`*_\[\]|~$]")
_LINKED = re.compile(r"(?<=@)(?=\w)|(?<=#)(?=\d)|(?<=GH)(?=-\d)|(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE)


def to_markdown(report: Report) -> str:
    """Headline, table, why, gates; every text from data is escaped, so that it neither formats, links nor mentions."""
    lines = [f"**{_said(sentence)}**" for sentence in headlines(report)]
    if report.simulated:
        lines.append(f"> {_said(report.simulated)}")
    shown = rows(report)
    if shown:
        lines.append(_criteria(shown))
        lines.append(_bullets(_reasons(shown)))
    if report.decisions:
        lines += [f"**Gates.** {gates(report.decisions)}", _gates(report), _bullets(_gate_reasons(report))]
    if warnings(report):
        lines += ["**Before you rely on this**", _bullets(_said(text) for text in warnings(report))]
    judges = "; ".join(f"{_code(part.judge)} {part.identity[:12]}" for part in identities(report))
    lines.append(
        f"<sub>{_plain(report.project)}, {_plain(report.generated)}; judge {judges or 'none'}; "
        f"fiel {_plain(report.version)}; again with {_code(report.command)}</sub>"
    )
    return "\n\n".join(line for line in lines if line) + "\n"


def _criteria(shown: Iterable[Row]) -> str:
    shown = tuple(shown)
    several = len({row.judge for row in shown}) > 1
    head = ["criterion", "outcome", "agreement with people", "kappa", "people with people", "corrected rate"]
    body = [
        [
            _plain(row.criterion),
            marked(row.found.word) if row.found else "not checked",
            _figure(row.found.agreement) if row.found else "",
            _figure(row.found.kappa) if row.found else "",
            _figure(row.found.ceiling, "one rater") if row.found else "",
            _figure(row.rate.estimate) if row.rate else "",
        ]
        for row in shown
    ]
    if several:
        head.insert(0, "judge")
        body = [[_plain(row.judge), *cells] for row, cells in zip(shown, body, strict=True)]
    return _table(head, body, words=2 + several)


def _reasons(shown: Iterable[Row]) -> Iterable[str]:
    for row in shown:
        if row.found:
            yield f"**{_plain(row.criterion)}**: {_said(row.found.why)}"
        if row.rate:
            yield f"**{_plain(row.criterion)}**, rate: {_said(row.rate.sentence)}"


def _gates(report: Report) -> str:
    body = [
        [
            _plain(name_of(decision, place)),
            f"{marked(decision.verdict)}, {decision.certainty}",
            _figure(decision.estimate),
            given(decision.at_least),
            probability(decision.probability).replace("<", "&lt;"),
        ]
        for place, decision in enumerate(report.decisions, start=1)
    ]
    return _table(["gate", "verdict", "estimate", "at least", "chance"], body, words=2)


def _gate_reasons(report: Report) -> Iterable[str]:
    for place, decision in enumerate(report.decisions, start=1):
        if decision.verdict != "pass":
            rest = [_plain(text) for text in (look_at(decision), "; ".join(decision.evidence)) if text]
            yield f"**{_plain(name_of(decision, place))}**: {' — '.join([_said(decision.why), *rest])}"


def _table(head: list[str], body: list[list[str]], *, words: int) -> str:
    rule = [":--" if place < words else "--:" for place in range(len(head))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *body))


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _figure(estimate: Estimate | None, absent: str = "not measured") -> str:
    text = full(estimate, absent)
    return _plain(text) if estimate is None or estimate.value is None else text  # numbers of our own need no escape


def _said(sentence: str) -> str:
    """A sentence of fiel's own, the names in it emphasised."""
    return "".join(f"*{_plain(piece)}*" if strong else _plain(piece) for piece, strong in parts(sentence))


def _plain(text: str) -> str:
    """Data as data: markup escaped, HTML escaped, and a comment put where a mention or a link would begin."""
    text = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _ACTIVE.sub(lambda match: f"\\{match[0]}", text)
    return _LINKED.sub("<!-- -->", text)


def _code(text: str) -> str:
    """Data as a code span, fenced by more backticks than it holds in a row."""
    text = one_line(text)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if "`" in text else ""
    return f"{fence}{space}{text}{space}{fence}"
