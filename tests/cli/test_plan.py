"""`fiel plan`: how many labels a wish takes."""

from __future__ import annotations

import json


def test_a_plan_from_what_is_expected(fiel):
    """Without a project a plan comes from what is typed, says what it guessed, and its curve reaches the wish."""
    result = fiel("plan", "--expect", "rate=0.9", "--expect", "rho=0.6", "--expect", "n_unlabelled=1000")
    assert result.exit_code == 0
    assert result.stdout.startswith("About ")
    assert "a width of 0.10" in result.stdout
    (told,) = json.loads(fiel("plan", "--for", "kappa power", "--expect", "kappa=0.6", "--format", "json").stdout)
    assert told["kind"] == "kappa power"
    assert told["labels"] > 0
    assert [point["labels"] for point in told["curve"]] == sorted(point["labels"] for point in told["curve"])


def test_a_wider_wish_takes_fewer_labels(fiel):
    """Twice the width takes less than half the labels."""
    narrow, wide = (
        json.loads(fiel("plan", "--width", width, "--format", "json").stdout)[0]["labels"] for width in ("0.1", "0.2")
    )
    assert wide < narrow / 2


def test_bad_expectations_are_named(fiel):
    """What is no NAME=NUMBER, and a name that nothing expects, are usage errors that say what would do."""
    for wrong in ("rate", "rate=much", "luck=0.5"):
        result = fiel("plan", "--expect", wrong)
        assert result.exit_code == 2
        assert wrong.split("=", maxsplit=1)[0] in result.stderr
