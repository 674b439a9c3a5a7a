from __future__ import annotations

import xml.etree.ElementTree as ET

import msgspec

from fiel.reports import to_junit
from fiel.stats import Estimate


def read(text: str) -> ET.Element:
    """The root of an XML file."""
    return ET.fromstring(text.encode())  # noqa: S314  our own output, a moment old


def cases(text: str) -> list[ET.Element]:
    """The test cases of a JUnit file."""
    return read(text).findall("./testsuite/testcase")


def test_a_gate_is_a_test_case(report):
    """Names come from the gates, and the counts are those of the cases."""
    root = read(to_junit(report.decisions))
    assert [case.get("name") for case in cases(to_junit(report.decisions))] == [
        "grounded enough to ship",
        "complete",
        "abstains well",
    ]
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "2", "0")


def test_undecided_blocks_with_a_type_of_its_own(report):
    """A pass has no failure; a fail and an undecided gate have one, and its type tells which."""
    kinds = [case.find("failure") for case in cases(to_junit(report.decisions))]
    assert [kind if kind is None else kind.get("type") for kind in kinds] == [None, "fail", "undecided"]


def test_a_failure_names_criterion_numbers_items_and_evidence(report):
    """The message alone tells a developer where to look."""
    message = cases(to_junit(report.decisions))[1].find("failure").get("message")
    for text in ("complete", "0.74 [0.68, 0.80] n=198", "0.85", "q-0031, q-0512", "no date is given"):
        assert text in message


def test_no_text_breaks_the_xml(hostile, report):
    """Hostile names and evidence parse back, as text, and add no element."""
    root = read(to_junit(hostile.decisions))
    assert {element.tag for element in root.iter()} == {
        element.tag for element in read(to_junit(report.decisions)).iter()
    }
    assert "</script><img src=x onerror=alert(1)>" in root.find("./testsuite/testcase").get("name")
    assert "⟨U+001B⟩[31m" in root.find("./testsuite/testcase/failure").get("message")


def test_an_undefined_estimate_is_no_pass(report):
    """A gate without a number says why, in the message."""
    nothing = msgspec.structs.replace(report.decisions[2], estimate=report.validations[0].criteria[3].kappa)
    nothing = msgspec.structs.replace(nothing, probability=None)
    message = cases(to_junit([nothing]))[0].find("failure").get("message")
    assert "undefined: the judge gave one answer only" in message


def test_no_gates_is_an_empty_suite():
    """A file is written all the same, with a count of zero."""
    assert read(to_junit([])).get("tests") == "0"


def test_the_method_and_what_n_counts_are_said(raw):
    """Message and body say that a rate is raw; the body says what n counts where that is groups, and how sure it is."""
    failing = msgspec.structs.replace(raw, verdict="fail", probability=0.03)
    failure = cases(to_junit([failing]))[0].find("failure")
    assert "n=1,200 (ess-wilson; raw, the judge's bias is not corrected)" in failure.get("message")
    assert failure.text.splitlines()[3:] == [
        "at least: 0.50, at confidence 0.95",
        "confidence that it is at least 0.50: 0.03",
    ]
    pooled = Estimate(value=0.7, low=0.6, high=0.8, confidence=0.95, method="ess-wilson, clusters, t(34)", n=35)
    grouped = msgspec.structs.replace(failing, estimate=pooled)
    assert "n counts groups of items that belong together" in to_junit([grouped])
    assert "n counts" not in to_junit([failing])
