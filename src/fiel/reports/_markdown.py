"""A report as a short comment in Markdown, for a pull request. Knows no forge and no file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from fiel.measures import SliceTable
from fiel.records import one_line
from fiel.reports._bundle import Report
from fiel.reports._compared import SLICED, slices_of, stands_out, unlike
from fiel.reports._numbers import count, full, given, limits, probability, signed
from fiel.reports._text import marked, parts
from fiel.reports._view import (
    JUDGE_ALONE,
    Row,
    bias_of,
    gates,
    headlines,
    identities,
    in_groups,
    judges_of,
    look_at,
    name_of,
    people_absent,
    rows,
    verdict_of,
    warnings,
)
from fiel.stats import Estimate

_ROWS = 24  # of a comment
_ACTIVE = re.compile(r"[\\`*_\[\]|~$]")
_LINKED = re.compile(r"(?<=@)(?=\w)|(?<=#)(?=\d)|(?<=GH)(?=-\d)|(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE)


def to_markdown(report: Report) -> str:
    """Headline, table, why, gates; every text from data is escaped, so that it neither formats, links nor mentions."""
    lines = [f"**{_said(sentence)}**" for sentence in headlines(report)]
    if report.simulated:
        lines.append(f"> {_said(report.simulated)}")
    shown = rows(report)
    if shown:
        lines += [_criteria(shown), _grouped(shown), _bullets(_reasons(shown))]
    if report.differences:
        lines += ["**Which of two is better?**", _bullets(_said(one.sentence) for one in report.differences)]
        lines += [_differences(report), _plain(in_groups((x.criterion, x.estimate) for x in report.differences))]
    lines += [*_slices(slices_of(report.validations), "agreement"), *_slices(_of_rates(shown), "rate")]
    if report.decisions:
        if shown:
            lines.append(f"**Gates.** {gates(report.decisions)}")
        note = in_groups((name_of(decision, at), decision.estimate) for at, decision in enumerate(report.decisions, 1))
        lines += [_gates(report), _plain(note), _bullets(_gate_reasons(report))]
    told = [*warnings(report), *(text for rate in report.rates if rate.told for text in rate.warnings)]
    if told:
        lines += ["**Before you rely on this**", _bullets(_said(text) for text in list(dict.fromkeys(told))[:_ROWS])]
    lines.append(_made(report))
    return "\n\n".join(line for line in lines if line) + "\n"


def _made(report: Report) -> str:
    judges = "; ".join(f"{_code(part.judge)} {part.identity[:12]}" for part in identities(report))
    judges = judges or ", ".join(map(_code, judges_of(report)))
    parts = (
        f"{_plain(report.project)}, {_plain(report.generated)}",
        f"judge {judges}" if judges else "",
        f"fiel {_plain(report.version)}",
        f"again with {_code(report.command)}",
    )
    return f"<sub>{'; '.join(filter(None, parts))}</sub>"


def _criteria(shown: Sequence[Row]) -> str:
    """A row per judge and criterion; columns of what nobody asked for are left out."""
    columns: list[tuple[str, Callable[[Row], str]]] = [("criterion", lambda row: _plain(row.criterion))]
    if len({row.judge for row in shown}) > 1:
        columns.insert(0, ("judge", lambda row: _plain(row.judge)))
    checked, rated = any(row.found for row in shown), any(row.rate for row in shown)
    if checked:
        columns.append(("outcome", lambda row: marked(row.found.word) if row.found else "not checked"))
    words = len(columns)
    if checked:
        columns += [
            ("agreement with people", lambda row: _figure(row.found.agreement) if row.found else ""),
            ("kappa", lambda row: _figure(row.found.kappa) if row.found else ""),
            (
                "people with people",
                lambda row: _figure(row.found.ceiling, people_absent(row.found)) if row.found else "",
            ),
        ]
    if rated:
        columns.append(("corrected rate", lambda row: _figure(row.rate.estimate) if row.rate else ""))
    if rated and not checked:
        columns += [
            ("judge alone", lambda row: _figure(row.rate.raw, "nothing scored") if row.rate else ""),
            ("labels alone", lambda row: _figure(row.rate.classical, "no labels") if row.rate else ""),
        ]
    body = [[cell(row) for _, cell in columns] for row in shown[:_ROWS]]
    left = len(shown) - _ROWS
    more = f"\n\nand {count(left)} more rows, in report.json" if left > 0 else ""
    return _table([name for name, _ in columns], body, words=words) + more


def _grouped(shown: Sequence[Row]) -> str:
    """What n counts, and what the judge alone is, under the table that shows them."""
    figures = [(row.criterion, row.found.agreement) for row in shown if row.found]
    figures += [(row.criterion, row.rate.estimate) for row in shown if row.rate]
    alone = any(row.rate for row in shown) and not any(row.found for row in shown)
    notes = (in_groups(figures), f"judge alone: {JUDGE_ALONE}" if alone else "")
    return "; ".join(_plain(note) for note in notes if note)


def _reasons(shown: Sequence[Row]) -> Iterable[str]:
    several = len({row.judge for row in shown}) > 1
    for row in shown[:_ROWS]:
        name = f"{_plain(row.criterion)}, {_plain(row.judge)}" if several else _plain(row.criterion)
        if row.found:
            yield f"**{name}**: {_said(bias_of(row.found))}{_said(row.found.why)}"
        if row.rate:
            lead = f"**{name}**, rate: " if row.found else ""
            width = f" {_said(row.rate.terms.sentence)}" if row.rate.terms else ""
            yield f"{lead}{_said(row.rate.sentence)}{width}"


def _differences(report: Report) -> str:
    """A row per judge and criterion: two systems, the first minus the second."""
    several = len({(one.judge, one.identity) for one in report.differences}) > 1
    pair = report.differences[0]
    head = [*(["judge"] if several else []), "criterion", f"{_plain(pair.a)} − {_plain(pair.b)}"]
    head += ["judge alone", "labels alone", _plain(pair.a), _plain(pair.b)]
    body = [
        [
            *([_plain(one.judge)] if several else []),
            _plain(one.criterion),
            *(_signed(part) for part in (one.estimate, one.raw, one.classical)),
            *(_figure(part) for part in (one.rate_a, one.rate_b)),
        ]
        for one in report.differences[:_ROWS]
    ]
    return _table(head, body, words=2 if several else 1)


def _signed(estimate: Estimate | None) -> str:
    if estimate is None or estimate.value is None:
        return _figure(estimate)
    return f"{signed(estimate.value)} {limits(estimate)} n={count(estimate.n)}"


def _of_rates(shown: Sequence[Row]) -> list[tuple[str, SliceTable]]:
    several = len({row.judge for row in shown}) > 1
    return [
        (f"{row.judge}, {row.criterion}" if several else row.criterion, table)
        for row in shown
        if row.rate
        for table in row.rate.slices
    ]


def _slices(named: Sequence[tuple[str, SliceTable]], what: str) -> Iterable[str]:
    """A figure by the values of fields: what stands out, then a table for each field."""
    for field in dict.fromkeys(table.field for _, table in named):
        tables = [(name, table) for name, table in named if table.field == field]
        yield f"**{what.capitalize()} by {_plain(field)}.** {' '.join(_said(text) for text in stands_out(tables))}"
        body = [
            [_plain(name), _plain(one.value), unlike(one), _figure(one.adjusted)]
            for name, table in tables
            for one in table.slices
        ]
        if body:
            yield _table(["criterion", _plain(field), "unlike the rest", what], body[:_ROWS], words=3)
            left = len(body) - _ROWS
            yield f"and {count(left)} more rows, in report.json" if left > 0 else ""
            yield _plain(SLICED)


def _gates(report: Report) -> str:
    body = [
        [
            _plain(name_of(decision, place)),
            marked(decision.verdict, verdict_of(decision)),
            _figure(decision.estimate),
            _plain(decision.estimate.method),
            given(decision.at_least),
            probability(decision.probability).replace("<", "&lt;"),
        ]
        for place, decision in enumerate(report.decisions, start=1)
    ]
    return _table(["gate", "verdict", "estimate", "method", "at least", "confidence"], body, words=2)


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
