"""Gates as JUnit XML, which every CI shows. Knows no file."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from fiel.measures import Decision
from fiel.records import one_line, visible
from fiel.reports._numbers import full, given, probability
from fiel.reports._view import in_groups, look_at, name_of, verdict_of


def to_junit(decisions: Sequence[Decision]) -> str:
    """One test case per gate: what fails is a failure of type "fail", what is undecided one of type "undecided".

    Thin evidence does not ship, so an undecided gate is no pass and no skip. Characters that XML cannot hold are
    written out as ⟨U+001B⟩.
    """
    broken = sum(decision.verdict != "pass" for decision in decisions)
    counts = {"tests": str(len(decisions)), "failures": str(broken), "errors": "0", "skipped": "0"}
    root = ET.Element("testsuites", {"name": "fiel gates", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": "fiel gates", **counts})
    for place, decision in enumerate(decisions, start=1):
        where = ".".join(("fiel", "gates", *filter(None, (decision.judge,))))
        names = {"classname": one_line(where), "name": one_line(name_of(decision, place))}
        case = ET.SubElement(suite, "testcase", names)
        if decision.verdict == "pass":
            ET.SubElement(case, "system-out").text = visible(_body(decision))
        else:
            said = {"type": decision.verdict, "message": one_line(_message(decision))}
            ET.SubElement(case, "failure", said).text = visible(_body(decision))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _message(decision: Decision) -> str:
    """Criterion, numbers, items and evidence, on one line: what a CI shows first."""
    wanted = f"at least {given(decision.at_least)} wanted, confidence {probability(decision.probability)}"
    numbers = f"{decision.criterion or 'gate'}: {full(decision.estimate)} ({decision.estimate.method}), {wanted}"
    return ". ".join(part for part in (numbers, look_at(decision), "; ".join(decision.evidence)) if part)


def _body(decision: Decision) -> str:
    grouped = in_groups([("", decision.estimate)])
    lines = [
        decision.why,
        verdict_of(decision),
        f"estimate: {full(decision.estimate)} ({decision.estimate.method})",
        *([grouped] if grouped else []),
        f"at least: {given(decision.at_least)}, at confidence {given(decision.confidence)}",
        f"confidence that it is at least {given(decision.at_least)}: {probability(decision.probability)}",
        *(f"item: {item}" for item in decision.items),
        *(f"evidence: {text}" for text in decision.evidence),
    ]
    return "\n".join(lines)
