"""Random options, random ways of cutting them into tokens, random distributions over whole paths: the exact truth."""

from __future__ import annotations

import json
import math
from collections import defaultdict

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from fiel.judges._asking import NOT_APPLICABLE, Asked
from fiel.judges._belief import read_belief
from fiel.records import Criterion, Distribution, Token

Path = tuple[str, ...]

ALPHABETS = ("ab", "αβγ", "дн", "是否不", "نع", "हां", "아안니", "no yt")
OFF = ("#", "~~", "% 1", "@ b")  # begin no option

words = st.sampled_from(ALPHABETS).flatmap(lambda letters: st.text(letters, min_size=1, max_size=4)).map(str.strip)
numbers = st.integers(0, 10).map(str)


@st.composite
def option_sets(draw: st.DrawFn) -> tuple[str, ...]:
    """Two to five options, different in more than case and white space."""
    plain = words.filter(lambda word: word and word == " ".join(word.split()))
    kind = draw(st.sampled_from([plain, numbers, st.sampled_from(["no", "not sure", "not at all", "nothing", "yes"])]))
    return tuple(draw(st.lists(kind, min_size=2, max_size=5, unique=True)))


@st.composite
def spellings(draw: st.DrawFn, option: str, *, quoted: bool) -> str:
    """The option as asked, or in another way of writing it."""
    ways = [option, option, option.upper(), f" {option}"]
    if option.isdigit():
        ways += [f"{option}.0", option.translate({48 + n: 0xFF10 + n for n in range(10)})]
    if quoted:
        ways += [f"{option} ", json.dumps(option)[1:-1]]
    return draw(st.sampled_from(ways))


@st.composite
def cut(draw: st.DrawFn, text: str) -> Path:
    """The text in tokens."""
    marks = draw(st.integers(0, 2 ** (len(text) - 1) - 1))
    places = [place for place in range(1, len(text)) if marks >> (place - 1) & 1]
    return tuple(text[i:j] for i, j in zip([0, *places], [*places, len(text)], strict=True))


class World:
    """Whole paths with their probabilities and answers (None off the scale), and which of them was written."""

    def __init__(self, paths: dict[Path, tuple[float, str | None]], taken: Path, value: tuple[int, int]) -> None:
        self.paths, self.taken = paths, taken
        self.start, self.end = value

    def __repr__(self) -> str:
        return f"World({self.paths!r}, {self.taken!r}, {(self.start, self.end)!r})"

    def tokens(self) -> list[Token]:
        """The taken path with all alternatives at each place."""
        made = []
        for place, text in enumerate(self.taken):
            onward: dict[str, float] = defaultdict(float)
            for path, (p, _) in self.paths.items():
                if path[:place] == self.taken[:place] and len(path) > place:
                    onward[path[place]] += p
            total = math.fsum(onward.values())
            pairs = tuple((other, math.log(p / total)) for other, p in onward.items())
            made.append(Token(text=text, logprob=math.log(onward[text] / total), alternatives=pairs))
        return made

    def truth(self) -> dict[str | None, float]:
        """The mass of every answer, given what was written before the token that holds the value's first character."""
        at = place = 0
        while at + len(self.taken[place]) <= self.start:
            at += len(self.taken[place])
            place += 1
        mass: dict[str | None, float] = defaultdict(float)
        for path, (p, answer) in self.paths.items():
            if path[:place] == self.taken[:place]:
                mass[answer] += p
        total = math.fsum(mass.values())
        return {answer: p / total for answer, p in mass.items()}


@st.composite
def worlds(draw: st.DrawFn) -> tuple[World, Asked]:
    """A criterion, and a reply of which everything is known."""
    options = draw(option_sets())
    applies = draw(st.sampled_from([None, "there is a table"]))
    criterion = Criterion(id="c", question="?", options=options, applies_when=applies)
    question = Asked(criterion=criterion, keys=(*options, NOT_APPLICABLE) if applies else options)
    quoted = draw(st.booleans())
    opening, ends = ('"', ('"}', '",', '"\n')) if quoted else ("", ("}", ",", "\n}"))
    candidates: list[str | None] = [*question.answers, *draw(st.lists(st.sampled_from(question.answers), max_size=3))]
    candidates += [None] * draw(st.integers(0, 2))
    paths: dict[Path, tuple[float, str | None]] = {}
    values: dict[Path, tuple[int, int]] = {}
    for answer in candidates:
        text = draw(st.sampled_from(OFF)) if answer is None else draw(spellings(answer, quoted=quoted))
        head = '{"v":' + draw(st.sampled_from([" ", " ", ""])) + opening
        whole = head + text + draw(st.sampled_from(ends))
        path = draw(cut(whole))
        if answer is not None and not text.lstrip().startswith(answer[:1]):
            path = unbroken(path, len(head), len(head) + len(text) - len(text.lstrip()) + 7)
        paths[path] = (draw(st.integers(1, 50)) / 50, answer)
        values[path] = (len(head), len(head) + len(text))
    taken = draw(st.sampled_from(sorted(paths)))
    paths = {path: one for path, one in paths.items() if one[1] is not None or leaves_late(path, taken, values[path])}
    total = math.fsum(p for p, _ in paths.values())
    paths = {path: (p / total, answer) for path, (p, answer) in paths.items()}
    return World(paths, taken, values[taken]), question


def unbroken(path: Path, start: int, end: int) -> Path:
    """The path without a cut between start and end: one letter in another case begins nothing for sure."""
    parts: list[str] = []
    at = 0
    for token in path:
        if parts and start < at < end:
            parts[-1] += token
        else:
            parts.append(token)
        at += len(token)
    return tuple(parts)


def leaves_late(path: Path, taken: Path, value: tuple[int, int]) -> bool:
    """Whether the token by which a path leaves the taken one shows something of its value: else it may be an answer."""
    at = 0
    for mine, other in zip(path, taken, strict=False):
        at += len(mine)
        if mine != other:
            return at > value[0]
    return True


def mean_of(found: Distribution, truth: dict[str | None, float]) -> float:
    """The true mean, given that the answer is an option."""
    shares = [truth.get(option, 0.0) for option in found.options]
    return math.fsum(v * p for v, p in zip(found.values, shares, strict=True)) / math.fsum(shares)


@given(worlds())
def test_the_belief_is_the_truth(drawn):
    """Without ambiguous mass the belief is exact; with it, the truth lies within the bounds; no mass is lost."""
    world, question = drawn
    truth = world.truth()
    found = read_belief(world.tokens(), world.start, world.end, question)
    options = question.criterion.options
    on_options = math.fsum(truth.get(option, 0.0) for option in options)
    if found is None:
        resolved = on_options == 0
        event("no belief")
        assert resolved or world.paths[world.taken][1] not in options
        return
    assert found.captured is not None
    known = found.captured + found.ambiguous + found.inapplicable
    assert known + truth.get(None, 0.0) == pytest.approx(1, abs=1e-9)
    assert math.fsum(found.probs) == pytest.approx(1, abs=1e-12)
    if not found.ambiguous:
        event("exact")
        assert found.probs == pytest.approx([truth.get(option, 0.0) / on_options for option in options], abs=1e-9)
        assert found.captured == pytest.approx(on_options, abs=1e-9)
        assert found.inapplicable == pytest.approx(truth.get(NOT_APPLICABLE, 0.0), abs=1e-9)
        return
    event("ambiguous")
    assert found.mean_low is not None
    assert found.mean_high is not None
    assert found.mean_low - 1e-9 <= mean_of(found, truth) <= found.mean_high + 1e-9
    for option, p in zip(options, found.probs, strict=True):
        assert found.captured * p <= truth.get(option, 0.0) + 1e-9  # never more than the option's own mass


@given(worlds(), st.floats(0, 0.3))
def test_a_floor_only_moves_mass_to_the_dropped(drawn, floor):
    """Whatever falls under the floor is taken from somewhere, counted once, and put nowhere else."""
    world, question = drawn
    tokens = world.tokens()
    every = read_belief(tokens, world.start, world.end, question)
    some = read_belief(tokens, world.start, world.end, question, floor=floor)
    assume(every is not None and some is not None)
    assert every is not None
    assert some is not None
    assert every.captured is not None
    assert some.captured is not None
    assert (some.dropped > 0) == (some.dropped_tokens > 0)
    parts = [(e, s) for e, s in ((every.captured, some.captured), (every.ambiguous, some.ambiguous))]
    parts.append((every.inapplicable, some.inapplicable))
    assert all(s <= e + 1e-9 for e, s in parts)
    lost = math.fsum(e - s for e, s in parts)
    assert -1e-9 <= some.dropped - lost <= world.truth().get(None, 0.0) + 1e-9
