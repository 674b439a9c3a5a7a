"""Ask a judge about many subjects, a bounded number at once, and keep every answer as it comes. Knows no label."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeAlias, TypeVar

import msgspec

from fiel.judges import Judge, check_judgements
from fiel.records import Criterion, FielError, Judgement, Rubric, Subject

T = TypeVar("T")

IN_FLIGHT = 64  # subjects under way at once, where the judge does not say; also how many are kept in one transaction

_Kept: TypeAlias = "asyncio.Queue[tuple[list[Judgement], asyncio.Future[None]] | None]"
Cell: TypeAlias = tuple[str, str, str]  # subject id, subject digest, criterion digest


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run stands.

    Args:
        total: cells (subject x criterion) of the whole run; kept: of these, there from an earlier run.
        done: answered in this run; failed: of these, without a verdict.
        cost: so far, None as soon as one price is unknown; seconds: since the start.
    """

    total: int
    kept: int
    done: int
    failed: int
    cost: float | None
    seconds: float

    @property
    def rate(self) -> float:
        """Cells a second in this run."""
        return self.done / self.seconds if self.seconds > 0 else 0.0

    @property
    def left(self) -> float | None:
        """Seconds until the end at the present rate; None before the first answer."""
        return (self.total - self.kept - self.done) / self.rate if self.rate else None


class Keeper(Protocol):
    """What a run needs of a store of judgements."""

    def add(self, judgements: Iterable[Judgement]) -> int:
        """Keep them; durable on return."""
        ...

    def read(self, *, identity: str | None = None) -> list[Judgement]:
        """What was kept for one judge identity."""
        ...


def judge(
    judge: Judge,
    items: Iterable[Subject],
    rubric: Rubric | None = None,
    *,
    store: Keeper | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> list[Judgement]:
    """Every judgement of `judge` on `items`, in the order of the items and of the rubric's criteria.

    Deterministic checks come first: what they decide the judge is not asked. What `store` already holds for the same
    judge identity, wording and text is not asked again. Works the same inside a running event loop.

    Args:
        judge: an async callable from a subject to judgements.
        items: the subjects, with distinct ids.
        rubric: what to ask; may be left out where the judge carries one as `judge.rubric`.
        store: where judgements are kept, such as `Project.judgements()`; None keeps nothing.
        progress: called after every batch that was kept.

    Returns:
        One judgement per subject and criterion. Failures are judgements with their status.

    Raises:
        FielError: no rubric, or two subjects with one id.
    """
    asked = rubric if rubric is not None else getattr(judge, "rubric", None)
    if asked is None:
        raise FielError("There is no rubric to judge by.", fix="Give it: judge(judge, items, rubric).")
    subjects = list(items)
    _refuse_twins(subjects)
    run = _Run(judge, subjects, asked, store, progress)
    return _in_own_loop(run.whole)


class _Run:
    """One run: what is missing, who is under way, what is being kept."""

    def __init__(
        self,
        judge: Judge,
        subjects: Sequence[Subject],
        rubric: Rubric,
        store: Keeper | None,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.judge = judge
        self.subjects = subjects
        self.rubric = rubric
        self.store = store
        self.report = progress
        self.identity = judge.identity(rubric)
        self.cells: dict[Cell, Judgement] = {}
        self.kept = self.done = self.failed = 0
        self.cost: float | None = 0.0
        self.start = time.perf_counter()

    async def whole(self) -> list[Judgement]:
        """Resume, ask, keep; the judgements in order."""
        wanted = {_cell(subject, criterion): None for subject in self.subjects for criterion in self.rubric.criteria}
        if self.store is not None:
            for found in self.store.read(identity=self.identity):
                key = (found.subject, found.subject_digest, found.criterion_digest)
                if key in wanted and found.replicate == 0:
                    self.cells[key] = found
        self.kept = len(self.cells)
        todo = [(subject, missing) for subject in self.subjects if (missing := self._missing(subject))]
        kept: _Kept = asyncio.Queue()
        writer = asyncio.create_task(self._keep(kept))
        work = iter(todo)
        width = int(getattr(self.judge, "max_in_flight", IN_FLIGHT))
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(width, len(todo))):
                    group.create_task(self._ask(work, kept))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        finally:
            kept.put_nowait(None)
            await writer
        self._say()
        return [self.cells[key] for key in wanted]

    async def _ask(self, work: Iterator[tuple[Subject, tuple[Criterion, ...]]], kept: _Kept) -> None:
        """Take subjects until none is left; go on only once the answers are kept."""
        for subject, missing in work:
            answers = list(check_judgements(missing, subject, judge=self.judge.name, identity=self.identity))
            decided = {answer.criterion for answer in answers}
            undecided = tuple(criterion for criterion in missing if criterion.id not in decided)
            if undecided:
                answers.extend(await self.judge(subject, self.rubric, undecided))
            durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            kept.put_nowait((answers, durable))
            await durable

    async def _keep(self, kept: _Kept) -> None:
        """Keep all that waits in one transaction and wake those who wait for it, until None comes."""
        going = True
        while going:
            batch = [await kept.get()]
            while not kept.empty():
                batch.append(kept.get_nowait())
            going = None not in batch
            waiting = [entry for entry in batch if entry is not None]
            fresh = [answer for answers, _ in waiting for answer in answers]
            error: Exception | None = None
            try:
                if self.store is not None and fresh:
                    await asyncio.to_thread(self.store.add, fresh)
            except Exception as failure:  # noqa: BLE001  whoever waits must hear of it, whatever it is
                error = failure
            for _, durable in waiting:
                if not durable.done():
                    durable.set_exception(error) if error else durable.set_result(None)
            if fresh and error is None:
                self._count(fresh)
                self._say()

    def _missing(self, subject: Subject) -> tuple[Criterion, ...]:
        return tuple(c for c in self.rubric.criteria if _cell(subject, c) not in self.cells)

    def _count(self, fresh: list[Judgement]) -> None:
        for answer in fresh:
            self.cells[(answer.subject, answer.subject_digest, answer.criterion_digest)] = answer
            self.done += 1
            self.failed += answer.status != "ok"
            asked = answer.belief is None or answer.belief.source != "check"
            if asked:
                self.cost = None if self.cost is None or answer.cost is None else self.cost + answer.cost

    def _say(self) -> None:
        if self.report is not None:
            total = len(self.subjects) * len(self.rubric.criteria)
            seconds = time.perf_counter() - self.start
            self.report(
                Progress(
                    total=total, kept=self.kept, done=self.done, failed=self.failed, cost=self.cost, seconds=seconds
                )
            )


def _cell(subject: Subject, criterion: Criterion) -> Cell:
    return (subject.id, subject.digest, criterion.digest)


def _refuse_twins(subjects: Sequence[Subject]) -> None:
    seen: set[str] = set()
    for subject in subjects:
        if subject.id in seen:
            raise FielError(f"Two items have the id {subject.id!r}.", fix="Give every item an id of its own.")
        seen.add(subject.id)


def _in_own_loop(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run to the end in an event loop of our own: here, or in a thread when this one already runs a loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="fiel-judge") as thread:
        return thread.submit(asyncio.run, work()).result()
