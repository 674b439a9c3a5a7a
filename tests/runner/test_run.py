"""Running a judge: everything once, checks first, kept before the next, resumable."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import pytest

from fiel import judge
from fiel.judges import Baseline
from fiel.records import Criterion, Distribution, FielError, Item, Judgement, Length, Rubric, Subject
from fiel.runner import Progress
from fiel.store.judgements import JudgementStore

RUBRIC = Rubric(
    id="r",
    criteria=(
        Criterion(id="grounded", question="Is it supported?"),
        Criterion(id="short", question="Is it short?", checks=(Length(maximum=20),)),
    ),
)
ITEMS = [Item(id=str(i), context="The bridge was built in 1931.", output=f"In 19{i:02}.") for i in range(30)]


class Asked:
    """A judge that says yes, and remembers what it was asked and how many questions were open at once."""

    name = "asked"

    def __init__(self, *, max_in_flight: int = 8, fails_on: str | None = None) -> None:
        self.max_in_flight = max_in_flight
        self.fails_on = fails_on
        self.calls: list[tuple[str, tuple[str, ...]]] = []
        self.open = self.most_open = 0

    def identity(self, rubric: Rubric) -> str:
        return f"asked-{rubric.digest}"

    async def __call__(
        self, subject: Subject, rubric: Rubric, criteria: tuple[Criterion, ...] | None = None
    ) -> tuple[Judgement, ...]:
        if subject.id == self.fails_on:
            raise FielError(f"No answer for {subject.id}.")
        criteria = rubric.criteria if criteria is None else criteria
        self.calls.append((subject.id, tuple(criterion.id for criterion in criteria)))
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        await asyncio.sleep(0.001)
        self.open -= 1
        return tuple(
            Judgement(
                subject=subject.id,
                subject_digest=subject.digest,
                criterion=criterion.id,
                criterion_digest=criterion.digest,
                judge=self.name,
                identity=self.identity(rubric),
                status="ok",
                belief=Distribution.point("yes", criterion.options),
                cost=0.5,
            )
            for criterion in criteria
        )


def test_every_cell_is_answered_in_order():
    """One judgement per item and criterion comes back, in the order of the items and of the rubric."""
    got = judge(Asked(), ITEMS, RUBRIC)
    assert [(j.subject, j.criterion) for j in got] == [(i.id, c.id) for i in ITEMS for c in RUBRIC.criteria]


def test_a_check_decides_and_the_judge_is_not_asked():
    """A criterion that a check decides is answered by it alone, and marked so."""
    asker = Asked()
    got = judge(asker, ITEMS, RUBRIC)
    assert {criteria for _, criteria in asker.calls} == {("grounded",)}
    assert {j.belief.source for j in got if j.criterion == "short" and j.belief} == {"check"}


def test_an_item_that_checks_decide_whole_costs_no_call():
    """Where checks decide every criterion, the judge is not called at all."""
    asker = Asked()
    rubric = Rubric(id="r", criteria=RUBRIC.criteria[1:])
    assert len(judge(asker, ITEMS, rubric)) == len(ITEMS)
    assert asker.calls == []


def test_a_second_run_asks_nothing(tmp_path):
    """What the store holds is not asked again, and comes back the same."""
    with JudgementStore.open(tmp_path / "j.db") as store:
        first = judge(Asked(), ITEMS, RUBRIC, store=store)
    asker = Asked()
    with JudgementStore.open(tmp_path / "j.db") as store:
        second = judge(asker, ITEMS, RUBRIC, store=store)
    assert asker.calls == []
    assert second == first


def test_the_same_judge_under_another_name_is_not_asked_and_has_its_own_answers(tmp_path):
    """One identity answers once; what it said stands under each name that it runs by, once, also after a third run."""
    first, second = Asked(), Asked()
    second.name = "again"
    with JudgementStore.open(tmp_path / "judgements.db") as store:
        said = judge(first, ITEMS, RUBRIC, store=store)
        twice = [judge(second, ITEMS, RUBRIC, store=store) for _ in range(2)]
        kept = store.read(judge="again")
    assert second.calls == []
    assert [msgspec.structs.replace(x, judge="asked") for x in twice[0]] == said
    assert twice[1] == twice[0]
    assert sorted(kept, key=str) == sorted(twice[0], key=str)


def test_a_changed_text_or_wording_is_asked_again(tmp_path):
    """A new text under an old id, and a new wording of a criterion, are both judged anew."""
    with JudgementStore.open(tmp_path / "j.db") as store:
        judge(Asked(), ITEMS, RUBRIC, store=store)
        asker = Asked()
        judge(asker, [Item(id="3", output="Something else."), *ITEMS[4:]], RUBRIC, store=store)
        assert asker.calls == [("3", ("grounded",))]
        other = Rubric(id="r", criteria=(Criterion(id="grounded", question="Is it supported by the text?"),))
        asker = Asked()
        judge(asker, ITEMS[:2], other, store=store)
        assert len(asker.calls) == 2


def test_a_stopped_run_keeps_what_was_answered_and_goes_on(tmp_path):
    """When the judge fails half-way, the error is told, what was answered is kept, and only the rest is asked later."""
    with JudgementStore.open(tmp_path / "j.db") as store:
        with pytest.raises(FielError, match="No answer for 20"):
            judge(Asked(max_in_flight=1, fails_on="20"), ITEMS, RUBRIC, store=store)
        asker = Asked()
        got = judge(asker, ITEMS, RUBRIC, store=store)
    assert [subject for subject, _ in asker.calls] == [str(i) for i in range(20, 30)]
    assert len(got) == len(ITEMS) * 2


class Slow:
    """A store that takes its time, and knows how many answers were under way that it had not kept yet."""

    def __init__(self, asker: Asked) -> None:
        self.asker = asker
        self.kept = self.most_waiting = 0

    def keep(self, *, replies: Iterable[object] = (), judgements: Iterable[Judgement] = ()) -> None:
        time.sleep(0.005)
        self.most_waiting = max(self.most_waiting, len(self.asker.calls) - self.kept)
        self.kept += len({j.subject for j in judgements})

    def read(self, *, identity: str | None = None) -> list[Judgement]:
        return []

    def reply_digests(self, model: str, /) -> set[str]:
        return set()

    def reply(self, digest: str, /) -> None:
        return None


def test_nobody_goes_on_before_the_answer_is_kept():
    """At no time are more answers unkept than there are workers."""
    asker = Asked(max_in_flight=4)
    store = Slow(asker)
    judge(asker, ITEMS, RUBRIC, store=store)
    assert store.kept == len(ITEMS)
    assert 1 < store.most_waiting <= 4
    assert 1 < asker.most_open <= 4


class Broken(Slow):
    """A store whose disk is full."""

    def keep(self, *, replies: Iterable[object] = (), judgements: Iterable[Judgement] = ()) -> None:
        raise OSError(28, f"No space left for {len(list(judgements))}")


def test_a_store_that_cannot_keep_stops_the_run():
    """A failing store is an error of the run, not a silent loss."""
    asker = Asked(max_in_flight=2)
    with pytest.raises(OSError, match="No space left"):
        judge(asker, ITEMS, RUBRIC, store=Broken(asker))
    assert len(asker.calls) <= 2


def test_it_works_inside_a_running_loop():
    """Called from inside a running event loop it gives the same, and the loop is left as it was."""

    async def notebook() -> list[Judgement]:
        return judge(Asked(), ITEMS, RUBRIC)

    def answers(judgements: list[Judgement]) -> list[tuple[str, str, str | None]]:
        return [(j.subject, j.criterion, j.verdict) for j in judgements]

    assert answers(asyncio.run(notebook())) == answers(judge(Asked(), ITEMS, RUBRIC))


def test_progress_adds_up():
    """The last progress says what was done and what failed; a judge without a model calls nobody."""
    seen: list[Progress] = []
    judge(Asked(), ITEMS, RUBRIC, progress=seen.append)
    last = seen[-1]
    assert (last.total, last.kept, last.done, last.failed, last.calls, last.cost) == (60, 0, 60, 0, 0, 0.0)
    assert last.left == 0


def test_two_items_with_one_id_are_refused():
    """Duplicate ids are refused before the first question."""
    asker = Asked()
    with pytest.raises(FielError, match="Two items have the id '1'"):
        judge(asker, [ITEMS[1], ITEMS[1]], RUBRIC)
    assert asker.calls == []


def test_without_a_rubric_it_says_what_to_do():
    """A call without a rubric names the argument that is missing."""
    with pytest.raises(FielError, match="no rubric"):
        judge(Baseline(), ITEMS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((Baseline, ITEMS, RUBRIC), "no judge"),
        ((ITEMS, Baseline(), RUBRIC), "no judge"),
        ((Baseline(), [{"id": "1"}], RUBRIC), "no item"),
        ((Baseline(), ITEMS, "rag"), "no rubric"),
    ],
)
def test_wrong_arguments_are_named(arguments, said):
    """A class in place of a judge, swapped arguments, dictionaries and a rubric's name are each told apart."""
    with pytest.raises(FielError, match=said):
        judge(*arguments)


def test_a_broken_progress_callback_stops_the_run_instead_of_hanging_it():
    """What the callback raises comes out of the run."""

    def broken(_: Progress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        judge(Asked(), ITEMS, RUBRIC, progress=broken)


class Odd(Asked):
    """A judge that answers something else than it was asked."""

    def __init__(self, change: Callable[[tuple[Judgement, ...]], object]) -> None:
        super().__init__()
        self.change = change

    async def __call__(self, subject: Subject, rubric: Rubric, criteria: Any = None) -> Any:
        return self.change(await super().__call__(subject, rubric, criteria))


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said[:-1],
        lambda _: (),
        lambda _: ("a",),
        lambda _: "ab",
        lambda _: None,
        lambda said: (*said, msgspec.structs.replace(said[0], criterion="other")),
        lambda said: tuple(msgspec.structs.replace(j, subject="29") for j in said),
        lambda said: tuple(msgspec.structs.replace(j, judge="somebody") for j in said),
        lambda said: tuple(msgspec.structs.replace(j, identity="other") for j in said),
        lambda said: tuple(msgspec.structs.replace(j, belief=Distribution.point("1", ("0", "1"))) for j in said),
    ],
)
def test_a_judge_that_answers_something_else_is_refused(change):
    """Too little, too much, foreign or no judgements end the run with an error that names judge and subject."""
    with pytest.raises(FielError, match="Judge 'asked' was asked about"):
        judge(Odd(change), ITEMS, RUBRIC)
