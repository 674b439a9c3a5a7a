from __future__ import annotations

import json
from importlib import resources

import jsonschema
import msgspec
import pytest

from fiel.records import FielError
from fiel.reports import Report, to_json
from fiel.reports._json import json_schema


def test_a_report_survives_the_trip(report, spanish):
    """What was written reads back as the same report."""
    for each in (report, spanish):
        assert msgspec.json.decode(to_json(each), type=Report) == each


def test_the_bytes_are_stable(report):
    """The order of a mapping's keys does not show, and the file ends with a line feed."""
    part = report.validations[0].criteria[0]
    turned = msgspec.structs.replace(
        part.funnel, unscored=dict(sorted(part.funnel.unscored.items(), key=lambda e: e[1]))
    )
    again = msgspec.structs.replace(
        report.validations[0],
        criteria=(msgspec.structs.replace(part, funnel=turned), *report.validations[0].criteria[1:]),
    )
    assert list(turned.unscored) != list(part.funnel.unscored)
    assert to_json(msgspec.structs.replace(report, validations=(again,))) == to_json(report)
    assert to_json(report).endswith(b"}\n")


def test_a_number_that_json_cannot_hold_is_refused(report):
    """NaN is named with its place, and not written as null."""
    broken = msgspec.structs.replace(report.decisions[0], probability=float("nan"))
    with pytest.raises(FielError) as error:
        to_json(msgspec.structs.replace(report, decisions=(broken,)))
    assert error.value.where == "report.decisions[0].probability"


def test_a_lone_surrogate_is_refused(report):
    """A text that no file can hold is an error that a user can read."""
    with pytest.raises(FielError, match="surrogate"):
        to_json(msgspec.structs.replace(report, notes=("a\ud800",)))


def test_the_published_schema_is_current():
    """`schemas/report.schema.json` is what the code would write now; write it again with `json_schema()`."""
    published = resources.files("fiel.reports").joinpath("schemas/report.schema.json").read_bytes()
    assert published == json_schema()


def test_the_schema_admits_a_report_and_refuses_another_shape(report):
    """The JSON of a report is valid under the schema; with a verdict that does not exist it is not."""
    checker = jsonschema.Draft202012Validator(json.loads(json_schema()))
    plain = json.loads(to_json(report))
    checker.validate(plain)
    plain["decisions"][0]["verdict"] = "green"
    assert not checker.is_valid(plain)
