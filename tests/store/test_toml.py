from __future__ import annotations

import pytest

from fiel.store._toml import dotted, line_of

TEXT = '''\
# a comment
top = 1

[models.fast]
words = """
[[judges]]
name = "not here"
"""
list = [
  1,
  2,
]

[[judges]]
name = "a"

[[judges]]
  price = { input = 1, output = 2 }
  "odd key" = 3
'''


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("top",), 2),
        (("models",), 4),
        (("models", "fast", "words"), 5),
        (("models", "fast", "list"), 9),
        (("models", "fast", "list", 1), 9),
        (("judges", 0), 14),
        (("judges", 0, "name"), 15),
        (("judges", 1), 17),
        (("judges", 1, "price", "output"), 18),
        (("judges", 1, "odd key"), 19),
        (("judges", 2), None),
        (("judges", 1, "name"), None),
        ((), None),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_of(place: tuple[str | int, ...], line: int | None, ending: str):
    """A key is found on the line where its statement begins, whatever stands inside multi-line texts."""
    assert line_of(TEXT.replace("\n", ending), place) == line


@pytest.mark.parametrize("quotes", ['"""', "'''"])
def test_line_below_a_long_text(quotes: str):
    """A key below a text of many lines, with quotes and what looks like statements in it, is found."""
    text = f"a = {quotes}\n" + 'it\'s [["x"]] # no {\nb = 1\n' * 2000 + f"{quotes}\n\n# b = 2\nb = 3 # [\n"
    assert line_of(text, ("b",)) == 4005


def test_quotes_at_the_ends_of_texts():
    """Quotes before the closing ones, escaped ones and empty texts end no statement too early or too late."""
    text = 'a = """x"""""\nb = ""\nc = """\\""" """\nd = \'\'\nquoted."e\\"[" = 1\nf = [ # ]\n"]", {g = "}"}]\nh = 1\n'
    assert [line_of(text, (key,)) for key in "abcd"] == [1, 2, 3, 4]
    assert (line_of(text, ("quoted", 'e"[')), line_of(text, ("f", 1, "g")), line_of(text, ("h",))) == (5, 6, 8)


def test_dotted():
    """A place is written as people write it."""
    assert dotted(("models", "fast", "price")) == "models.fast.price"
    assert dotted(("judges", 0)) == "judges[0]"
    assert dotted(()) == ""
