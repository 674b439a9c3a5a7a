"""The language-model judge: ask, read the whole belief, check the evidence. Knows no endpoint, store or label."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Literal, Self, TypeVar

import msgspec

from fiel.judges._asking import Asked, Keys, ask
from fiel.judges._prompt import (
    TEMPLATE,
    ReasonPlace,
    check_template,
    criteria_text,
    mending,
    messages,
    reply_schema,
    rules,
)
from fiel.judges._reply import Reading, read_reply
from fiel.judges._verdicts import Rule, Source, Told, Unsupported, judgements_of
from fiel.records import (
    CallError,
    Criterion,
    FielError,
    Item,
    Judgement,
    Message,
    Model,
    Reply,
    Request,
    Rubric,
    Subject,
    digest,
)

T = TypeVar("T")

READING = 1  # the version of the reading rule: a judge that reads otherwise is another judge, at no cost of calls


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What decides a language-model judge's answers, besides model and rubric.

    Args:
        ask: all criteria in one call ("item"), or one call each ("criterion").
        samples: how many replies to each question.
        temperature: 0 by default, 0.7 with several samples. Several samples at 0 measure rerun noise.
        prompt: the template of the message, with its placeholders.
        keys: how the answers are spelt in the reply; letters where one answer begins another.
        reason: whether the reason is written before the verdict, after it, or not at all.
        reason_length: at most so many characters of it, where the endpoint holds to a schema.
        unsupported: what a failure is whose fragment does not stand in the text: an abstention, or kept as it is.
        strict: believe the written value alone.
        floor: probability under which an alternative is dropped.
        top_logprobs: how many alternatives are asked for; 0 asks for none.
        max_tokens: the longest reply.
        mend: whether a reply that cannot be read is asked for once more, with the error.
        parameters: further parameters of the endpoint, to the letter.
    """

    ask: Literal["item", "criterion"] = "item"
    samples: int = 1
    temperature: float | None = None
    prompt: str = TEMPLATE
    keys: Keys = "auto"
    reason: ReasonPlace = "before"
    reason_length: int | None = None
    unsupported: Unsupported = "abstain"
    strict: bool = False
    floor: float = 0.0
    top_logprobs: int = 20
    max_tokens: int = 1500
    mend: bool = True
    parameters: dict[str, Any] = {}

    def __post_init__(self) -> None:
        check_template(self.prompt)
        if self.ask not in {"item", "criterion"}:
            raise FielError(f"ask is {self.ask!r}.", fix='Write "item" or "criterion".')
        for name in ("samples", "max_tokens"):
            if getattr(self, name) < 1:
                raise FielError(f"{name} is {getattr(self, name)}; it must be at least 1.")
        if not 0 <= self.floor < 1:
            raise FielError(f"floor is {self.floor}; it must lie in [0, 1).")

    @property
    def heat(self) -> float:
        """The temperature that is asked for."""
        if self.temperature is not None:
            return self.temperature
        return 0.0 if self.samples == 1 else 0.7


class _Group(msgspec.Struct, frozen=True):
    """What all subjects share of one call: the criteria asked, and everything that follows from them alone."""

    asked: tuple[Asked, ...]
    rules: str
    criteria: str
    schema: dict[str, Any]


class LLMJudge:
    """A judge that asks a language model.

    Args:
        model: who answers, an async callable from a request to a reply, such as `fiel.models.connect(...)`.
        name: under which it runs; the model's name when not given.
        rubric: what to ask, where `judge` is not given one.
        settings: see `fiel.judges.Settings`: ask, samples, temperature, prompt, keys, reason, unsupported, strict,
            floor, top_logprobs, max_tokens, mend, parameters.

    Raises:
        FielError: a setting that cannot work; a prompt that does not hold the answer and the criteria.
    """

    def __init__(self, model: Model, *, name: str | None = None, rubric: Rubric | None = None, **settings: Any) -> None:
        self.model = model
        self.name = name or model.name
        self.rubric = rubric
        self.settings = Settings(**settings)
        self._groups: dict[tuple[str, ...], tuple[_Group, ...]] = {}
        self._identities: dict[str, str] = {}

    @property
    def max_in_flight(self) -> int:
        """How many subjects may be under way at once."""
        return int(getattr(self.model, "max_in_flight", 16))

    def through(self, wrap: Callable[[Model], Model]) -> Self:
        """The same judge with its model wrapped, in something that keeps replies or counts calls."""
        twin = type(self)(wrap(self.model), name=self.name, rubric=self.rubric)
        twin.settings = self.settings
        return twin

    def identity(self, rubric: Rubric) -> str:
        """The digest of model, settings, rubric and reading rule; what the server served is told beside it."""
        found = self._identities.get(rubric.digest)
        if found is None:
            found = digest(("llm", READING, self.model.name, rubric.digest, msgspec.to_builtins(self.settings)))
            self._identities[rubric.digest] = found
        return found

    def requests(
        self, subject: Subject, rubric: Rubric, criteria: tuple[Criterion, ...] | None = None
    ) -> tuple[Request, ...]:
        """The calls that judging one subject takes, before any is made; a mended reply takes one more."""
        groups = self._grouped(rubric.criteria if criteria is None else criteria)
        return tuple(
            self._request(group, self._messages(group, subject, rubric), sample)
            for group in groups
            for sample in range(self.settings.samples)
        )

    async def __call__(
        self, subject: Subject, rubric: Rubric, criteria: tuple[Criterion, ...] | None = None
    ) -> tuple[Judgement, ...]:
        """Ask, read, check the evidence. What fails is a judgement with its status; reruns are numbered judgements.

        Raises:
            FielError: the endpoint is down or a budget is used up: nothing more can be asked.
        """
        groups = self._grouped(rubric.criteria if criteria is None else criteria)
        found = await _all([self._judge(group, subject, rubric) for group in groups])
        return tuple(judgement for part in found for judgement in part)

    async def aclose(self) -> None:
        """Let go of the model's connections, where it has any."""
        close = getattr(self.model, "close", None)
        if close is not None:
            await close()

    async def _judge(self, group: _Group, subject: Subject, rubric: Rubric) -> list[Judgement]:
        if not isinstance(subject, Item):
            raise FielError(f"Pair {subject.id!r} cannot be judged criterion by criterion.", fix="Judge items.")
        said = self._messages(group, subject, rubric)
        samples = await _all(
            [self._sample(group, self._request(group, said, sample)) for sample in range(self.settings.samples)]
        )
        settings = self.settings
        rule = Rule(
            floor=settings.floor, strict=settings.strict, unsupported=settings.unsupported, sampled=settings.heat > 0
        )
        price = getattr(self.model, "price", None)
        source = Source(judge=self.name, identity=self.identity(rubric), price=price)
        judgements: list[Judgement] = []
        for place, asked in enumerate(group.asked):
            told = [sample[place] for sample in samples]
            judgements.extend(judgements_of(asked, told, subject, rule=rule, source=source))
        return judgements

    async def _sample(self, group: _Group, request: Request) -> list[Told]:
        """What one reply says of each criterion; asked once more where it cannot be read."""
        try:
            reply = await self.model(request)
        except CallError as error:
            return [Told(request=request.digest, failure=error.what) for _ in group.asked]
        reading = read_reply(reply.text, group.asked, finish=reply.finish)
        told = _told(request, reply, reading)
        problems = _problems(reading)
        if not problems or not self.settings.mend:
            return told
        turns = (*request.messages, Message(role="assistant", content=reply.text), mending(problems))
        again = msgspec.structs.replace(request, messages=turns)
        try:
            second = await self.model(again)
        except CallError:
            return told
        better = _told(again, second, read_reply(second.text, group.asked, finish=second.finish))
        merged = [old if _read(old) else new for old, new in zip(told, better, strict=True)]
        return [msgspec.structs.replace(merged[0], paid=(reply, second)), *merged[1:]]

    def _request(self, group: _Group, said: tuple[Message, ...], sample: int) -> Request:
        settings = self.settings
        parameters: dict[str, Any] = {"temperature": settings.heat, "max_tokens": settings.max_tokens}
        if settings.top_logprobs:
            parameters["top_logprobs"] = settings.top_logprobs
        return Request(
            model=self.model.name,
            messages=said,
            schema=group.schema,
            parameters={**parameters, **settings.parameters},
            sample=sample,
        )

    def _messages(self, group: _Group, subject: Subject, rubric: Rubric) -> tuple[Message, ...]:
        return messages(
            subject,
            rules=group.rules,
            guidance=rubric.guidance,
            criteria=group.criteria,
            template=self.settings.prompt,
        )

    def _grouped(self, criteria: tuple[Criterion, ...]) -> tuple[_Group, ...]:
        """The criteria in calls, made once for each set of criteria."""
        key = tuple(criterion.digest for criterion in criteria)
        if key not in self._groups:
            whole = self.settings.ask == "item"
            parts = [criteria] if whole else [(criterion,) for criterion in criteria]
            self._groups[key] = tuple(self._group(part) for part in parts if part)
        return self._groups[key]

    def _group(self, criteria: tuple[Criterion, ...]) -> _Group:
        settings = self.settings
        asked = tuple(ask(criterion, settings.keys) for criterion in criteria)
        return _Group(
            asked=asked,
            rules=rules(asked, reason=settings.reason),
            criteria=criteria_text(asked),
            schema=reply_schema(asked, reason=settings.reason, reason_length=settings.reason_length),
        )


def _told(request: Request, reply: Reply, reading: Reading) -> list[Told]:
    """What a reply says of each criterion; the first of them pays for it."""
    refused = _refusal(reply) if reading.refused else None
    return [
        Told(
            request=request.digest,
            answer=answer,
            reply=reply,
            paid=(reply,) if place == 0 else (),
            refusal=refused,
        )
        for place, answer in enumerate(reading.answers)
    ]


def _read(told: Told) -> bool:
    return told.answer is not None and told.answer.answer is not None


def _refusal(reply: Reply) -> str:
    """Why the model would not answer, in its own words where it gave any."""
    return reply.text[:200] or f"the reply ended with {reply.finish}"


def _problems(reading: Reading) -> list[str]:
    """What could not be read, to be told to the model; nothing where it refused."""
    if reading.refused:
        return []
    return list(dict.fromkeys(answer.problem or "no verdict" for answer in reading.answers if answer.answer is None))


async def _all(work: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """The results in order; where one fails, the others are heard out first: what was asked is paid."""
    if len(work) == 1:
        return [await work[0]]
    found = await asyncio.gather(*work, return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return [one for one in found if not isinstance(one, BaseException)]
