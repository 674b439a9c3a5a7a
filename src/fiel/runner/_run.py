"""Ask a judge about many subjects, a bounded number at once, and keep every answer as it comes. Knows no label."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias, TypeVar

import msgspec

from fiel.judges import Judge, LLMJudge, check_judgements, check_rubric
from fiel.models import BudgetError, Metered
from fiel.records import Criterion, EndpointError, FielError, Item, Judgement, Pair, Rubric, Subject
from fiel.runner._kept import Kept
from fiel.runner._progress import Progress
from fiel.runner._writer import Keeper, Writer

T = TypeVar("T")

IN_FLIGHT = 64  # subjects under way at once, where the judge does not say

Cell: TypeAlias = tuple[str, str, str]  # subject id, subject digest, criterion digest
Work: TypeAlias = Iterator[tuple[Subject, tuple[Criterion, ...]]]


def judge(
    judge: Judge,
    items: Iterable[Subject],
    rubric: Rubric | None = None,
    *,
    store: Keeper | None = None,
    progress: Callable[[Progress], None] | None = None,
    max_calls: int | None = None,
    max_cost: float | None = None,
) -> list[Judgement]:
    """Every judgement of `judge` on `items`, in the order of the items and of the rubric's criteria.

    Deterministic checks come first: what they decide the judge is not asked. What `store` already holds is not asked
    again: of a language-model judge its raw replies, from which judgements are read anew, of any other judge its
    judgements of the same identity, wording and text, failed ones apart. Works the same inside a running event loop.

    Args:
        judge: an async callable from a subject to judgements.
        items: the subjects, with distinct ids.
        rubric: what to ask; may be left out where the judge carries one as `judge.rubric`.
        store: where replies and judgements are kept, such as `Project.judgements()`; None keeps nothing.
        progress: called after every subject that was kept, and once at the end.
        max_calls: how many calls a language-model judge may make.
        max_cost: what they may cost, in the currency of the price list.

    Returns:
        One judgement per subject and criterion, or as many as there were reruns. Failures are judgements with their
        status.

    Raises:
        FielError: no judge, no rubric, a check that cannot be carried out, no item, two items with one id, a judge that
            answers something else than it was asked; `EndpointError`: the endpoint cannot be used; `BudgetError`: the
            budget is used up. What was answered until then is kept.
    """
    if isinstance(judge, type) or not (callable(judge) and hasattr(judge, "identity")):
        raise FielError(f"This is no judge: {judge!r:.80}.", fix="Give a judge that was made, such as Baseline().")
    asked = rubric if rubric is not None else getattr(judge, "rubric", None)
    if not isinstance(asked, Rubric):
        raise FielError("There is no rubric to judge by.", fix="Give it: judge(judge, items, rubric).")
    check_rubric(asked)
    subjects = list(items)
    _check_subjects(subjects)
    run = _Run(judge, subjects, asked, store, progress, max_calls, max_cost)
    return _in_own_loop(run.whole)


class _Run:
    """One run: what is missing, who is under way, what was said."""

    def __init__(
        self,
        judge: Judge,
        subjects: Sequence[Subject],
        rubric: Rubric,
        store: Keeper | None,
        progress: Callable[[Progress], None] | None,
        max_calls: int | None,
        max_cost: float | None,
    ) -> None:
        self.judge = judge
        self.subjects = subjects
        self.rubric = rubric
        self.store = store
        self.report = progress
        self.identity = judge.identity(rubric)
        self.meter = (
            Metered(judge.model, max_calls=max_calls, max_cost=max_cost) if isinstance(judge, LLMJudge) else None
        )
        self.cells: dict[Cell, list[Judgement]] = {}
        self.served: Counter[str] = Counter()
        self.kept = self.done = self.failed = 0
        self.replies: Kept | None = None
        self.stop: FielError | None = None  # why nobody may ask any more; who has asked already is heard out
        self.start = time.perf_counter()

    async def whole(self) -> list[Judgement]:
        """Resume, ask, keep; the judgements in order."""
        wanted = {_cell(subject, criterion): None for subject in self.subjects for criterion in self.rubric.criteria}
        width = max(1, int(getattr(self.judge, "max_in_flight", IN_FLIGHT)))
        writer = Writer(self.store, workers=width)
        judge, renamed = self._prepared(writer, wanted.keys())
        todo = [(subject, missing) for subject in self.subjects if (missing := self._missing(subject))]
        work = iter(_by_context(todo))
        try:
            if renamed:
                await writer.put(judgements=renamed)
            async with asyncio.TaskGroup() as group:
                for _ in range(min(width, len(todo))):
                    group.create_task(self._ask(judge, work, writer))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        finally:
            try:
                await writer.close()
            finally:
                if isinstance(self.judge, LLMJudge):
                    await self.judge.aclose()
            self._say()
        if self.stop is not None:
            raise self.stop
        return [judgement for key in wanted for judgement in self.cells[key]]

    def _prepared(self, writer: Writer, wanted: Iterable[Cell]) -> tuple[Judge, list[Judgement]]:
        """The judge to ask: one whose replies are kept and counted, or one whose kept judgements are not asked for.

        Returns:
            The judge; and what the same judge said under another name, to be kept under this one.
        """
        if isinstance(self.judge, LLMJudge) and self.meter is not None:
            self.replies = kept = Kept(self.meter, writer)
            return self.judge.through(lambda _: kept), []
        renamed: list[Judgement] = []
        if self.store is not None:
            cells = set(wanted)
            for found in self.store.read(identity=self.identity):
                key = (found.subject, found.subject_digest, found.criterion_digest)
                if key in cells and found.status != "error":
                    self.cells.setdefault(key, []).append(found)
        for key, known in self.cells.items():
            mine = [x for x in known if x.judge == self.judge.name]
            other = [x for x in known if x.judge == known[0].judge]  # of several other names, the first
            self.cells[key] = mine or [msgspec.structs.replace(x, judge=self.judge.name) for x in other]
            renamed += [] if mine else self.cells[key]
        self.kept = len(self.cells)
        return self.judge, renamed

    async def _ask(self, judge: Judge, work: Work, writer: Writer) -> None:
        """Take subjects until none is left; go on only once what was said is kept.

        The judgements of a language model follow from replies that are durable already: nobody waits for them.
        """
        for subject, missing in work:
            if self.stop is not None:
                break
            answers = list(check_judgements(missing, subject, judge=self.judge.name, identity=self.identity))
            decided = {answer.criterion for answer in answers}
            undecided = tuple(criterion for criterion in missing if criterion.id not in decided)
            if undecided:
                try:
                    said = await judge(subject, self.rubric, undecided)
                except (BudgetError, EndpointError) as stop:
                    self.stop = self.stop or stop
                    break
                _check_answers(said, subject, undecided, self.judge, self.identity)
                answers.extend(said)
            if self.meter is None:
                await writer.put(judgements=answers)
            else:
                await writer.put_by(answers)
            self._count(answers)
            self._say()

    def _missing(self, subject: Subject) -> tuple[Criterion, ...]:
        return tuple(c for c in self.rubric.criteria if _cell(subject, c) not in self.cells)

    def _count(self, answers: Sequence[Judgement]) -> None:
        for answer in answers:
            key = (answer.subject, answer.subject_digest, answer.criterion_digest)
            self.cells.setdefault(key, []).append(answer)
            self.done += answer.replicate == 0
            self.failed += answer.replicate == 0 and answer.status not in {"ok", "inapplicable"}
            if answer.served is not None:
                self.served[answer.served] += 1

    def _say(self) -> None:
        if self.report is None:
            return
        meter = self.meter
        self.report(
            Progress(
                total=len(self.subjects) * len(self.rubric.criteria),
                kept=self.kept,
                done=self.done,
                failed=self.failed,
                cost=0.0 if meter is None or meter.calls == 0 else meter.cost,
                seconds=time.perf_counter() - self.start,
                calls=0 if meter is None else meter.calls,
                reused=0 if self.replies is None else self.replies.reused,
                tokens=(0, 0, 0) if meter is None else (meter.input, meter.output, meter.cached),
                served=dict(self.served),
            )
        )


def _cell(subject: Subject, criterion: Criterion) -> Cell:
    return (subject.id, subject.digest, criterion.digest)


def _by_context(todo: Sequence[tuple[Subject, tuple[Criterion, ...]]]) -> list[tuple[Subject, tuple[Criterion, ...]]]:
    """Subjects that share a context after each other, so that a server's prefix cache works; else as they came."""
    first: dict[str | None, int] = {}
    for place, (subject, _) in enumerate(todo):
        first.setdefault(subject.context, place)
    return [
        entry
        for _, entry in sorted(
            enumerate(todo), key=lambda pair: (first[pair[1][0].context] if pair[1][0].context else pair[0], pair[0])
        )
    ]


def _check_subjects(subjects: Sequence[Subject]) -> None:
    seen: set[str] = set()
    for subject in subjects:
        if not isinstance(subject, Item | Pair):
            raise FielError(
                f"This is no item: {subject!r:.80}.", fix="Give fiel.Item(id=..., input=..., context=..., output=...)."
            )
        if subject.id in seen:
            raise FielError(f"Two items have the id {subject.id!r}.", fix="Give every item an id of its own.")
        seen.add(subject.id)


def _check_answers(said: Any, subject: Subject, asked: Sequence[Criterion], judge: Judge, identity: str) -> None:
    """Refuse a judge that does not answer what it was asked: nothing of it would be counted right."""
    entries = list(said) if isinstance(said, Iterable) and not isinstance(said, str) else [said]
    problem = next((text for entry in entries if (text := _strange(entry, judge, identity))), None)
    if problem is None:
        wanted = {(subject.id, subject.digest, criterion.id, criterion.digest) for criterion in asked}
        got = {(j.subject, j.subject_digest, j.criterion, j.criterion_digest) for j in entries}
        options = {criterion.id: criterion.options for criterion in asked}
        if got != wanted:
            problem = "answered about something else, or not about all of it"
        elif any(j.belief is not None and j.belief.options != options[j.criterion] for j in entries):
            problem = "has a belief over other options"
    if problem is not None:
        names = ", ".join(criterion.id for criterion in asked)
        raise FielError(
            f"Judge {judge.name!r} was asked about {subject.id!r} on {names} and {problem}.",
            fix="A judge gives one Judgement of its own for every criterion that it is given, about that subject.",
        )


def _strange(entry: Any, judge: Judge, identity: str) -> str | None:
    if not isinstance(entry, Judgement):
        return f"gave {entry!r:.60}, which is no Judgement"
    if (entry.judge, entry.identity) != (judge.name, identity):
        return f"answered as {entry.judge!r}, identity {entry.identity!r:.20}, which is another judge"
    return None


def _in_own_loop(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run to the end in an event loop of our own: here, or in a thread when this one already runs a loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="fiel-judge") as thread:
        return thread.submit(asyncio.run, work()).result()
