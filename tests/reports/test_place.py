from __future__ import annotations

import json
from urllib.parse import unquote

import pytest

from fiel.reports import to_json
from fiel.reports._place import Place, down, entries, pointer, raw


def resolved(plain, address: str):
    """What stands at a pointer (RFC 6901) in a JSON document."""
    for part in address.removeprefix("#").split("/")[1:]:
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        plain = plain[int(key)] if isinstance(plain, list) else plain[key]
    return plain


def test_a_place_leads_where_the_json_has_it(report):
    """Whatever is reached by attributes and indices stands at its pointer in the JSON."""
    plain, root = json.loads(to_json(report)), Place(report)
    part = root.validations[0].criteria[1]
    for place in (
        part.agreement.value,
        part.confusion[2][0],
        part.funnel.unscored,
        root.cases[0].work.judges[0].answer,
    ):
        found, wanted = resolved(plain, pointer(place)), raw(place)
        assert found == (dict(wanted) if isinstance(found, dict) else wanted)
    assert down(root, "validations", 0, "criteria", 1, "agreement", "value") is not None
    assert raw(down(root, "rates", 2, "criterion")) == "friendly tone"


def test_keys_from_data_are_harmless_in_an_address():
    """Slashes, quotes, control characters and halves of characters are written out, and lead back to the key."""
    for key in ("a/b~c", "\"'><script>", "\x00\u202e", "ñ %"):
        address = pointer(Place({key: 1})[key])
        assert address.isascii()
        assert not set(address) & set("\"'<> \x00")
        assert resolved({key: 1}, address) == 1
    assert pointer(Place({"\ud800": 1})["\ud800"]) == "#/%ED%A0%80"


def test_a_slice_keeps_the_addresses(report):
    """The last two of four criteria are still the third and the fourth."""
    criteria = Place(report).validations[0].criteria
    assert [pointer(part) for part in criteria[2:]] == ["#/validations/0/criteria/2", "#/validations/0/criteria/3"]


@pytest.mark.parametrize(
    ("held", "true"), [(None, False), ((), False), ("", False), ({}, False), (0.0, False), ("no", True)]
)
def test_a_place_is_true_where_it_holds_something(held, true):
    """Nothing, an empty list and zero are false, as they would be without a place around them."""
    assert bool(Place(held)) is true


def test_a_place_has_no_text_of_its_own(report):
    """A number that no rule writes is an error, not a number in some form."""
    with pytest.raises(TypeError, match="without a rule"):
        str(Place(report).validations[0].bar)


def test_entries_are_sorted_by_name():
    """The order of a mapping does not show."""
    assert [(name, raw(place)) for name, place in entries(Place({"b": 1, "a": 2}))] == [("a", 2), ("b", 1)]
