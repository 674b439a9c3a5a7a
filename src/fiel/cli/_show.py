"""`fiel show`: one item's judgements, with the raw reply and how each number came about. Computes nothing new."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from pathlib import Path

from fiel.cli._blind import look
from fiel.cli._exits import tell
from fiel.cli._short import short
from fiel.judges import Judge, LLMJudge, ask, decide, read_reply
from fiel.records import Criterion, FielError, Item, Judgement, Reply, Rubric, Token
from fiel.runner import judge_from
from fiel.store.judgements import JudgementStore
from fiel.store.project import Project


def run(
    folder: Path,
    item: str,
    *,
    criterion: str | None,
    judge: str | None,
    unblind: bool = False,
    who: str | None = None,
) -> None:
    """Print every judgement of an item, the newest last; of a language model with everything that it rests on."""
    project = Project.open(folder)
    look(project, unblind=unblind, who=who, command=f"fiel show {shlex.quote(item)}", subject=item)
    items = {entry.id: entry for entry in project.items()}
    with project.judgements(must_exist=True) as store:
        found = store.find(item, criterion=criterion, judge=judge)
        if not found:
            raise FielError(
                f"Nothing is kept of {item!r}.", fix="fiel judge judges it; its id stands in items/*.jsonl."
            )
        for judgement in found:
            _judgement(project, store, judgement, items.get(judgement.subject))


def _judgement(project: Project, store: JudgementStore, judgement: Judgement, item: Item | None) -> None:
    built, rubric, criterion = _asked(project, judgement)
    changed = "" if item is not None and item.digest == judgement.subject_digest else "  (the text has changed since)"
    named = ", ".join(map(short, (judgement.subject, judgement.criterion, judgement.judge)))
    tell(f"{named}@{judgement.identity[:12]}{changed}")
    if judgement.served:
        tell(f"  served by {short(judgement.served)}")
    tell(f"  {judgement.status}: {short(judgement.verdict or judgement.written or 'no verdict')}")
    if judgement.reason:
        tell(f"  reason: {judgement.reason}")
    for evidence in judgement.evidence:
        place = f"characters {evidence.start} to {evidence.end}" if evidence.found else "NOT in the text"
        tell(f"  evidence in the {evidence.field}, {place}: {evidence.text}")
    _belief(judgement)
    if item is not None and criterion is not None and (outcome := decide(criterion, item)) is not None:
        tell(f"  check: {short(outcome.option or 'undecided')} ({outcome.reason})")
    for exchange in store.exchanges(judgement):
        request, reply = exchange.request, exchange.reply
        tell(f"  request {request.digest[:12]}, sample {request.sample}, kept {exchange.kept_at}")
        tell(f"    parameters {request.parameters}")
        for message in request.messages:
            _block(message.role, message.content)
        _block("reply", reply.text)
        if criterion is not None and isinstance(built, LLMJudge):
            _tokens(reply, criterion, rubric, built)
    tell("")


def _asked(project: Project, judgement: Judgement) -> tuple[Judge | None, Rubric | None, Criterion | None]:
    """The judge, rubric and criterion as the project has them now, where they are still those of the judgement."""
    for entry in project.config.judges:
        if entry.name != judgement.judge:
            continue
        rubric = project.rubric(entry.rubric)
        for criterion in rubric.criteria:
            if criterion.digest == judgement.criterion_digest:
                return judge_from(entry, project), rubric, criterion
    return None, None, None


def _belief(judgement: Judgement) -> None:
    belief = judgement.belief
    if belief is None:
        return
    numbers = [f"mean {belief.mean:.4g}", f"entropy {belief.entropy:.3g} bits", f"variance {belief.variance:.3g}"]
    if belief.captured is not None:
        numbers.append(f"captured {belief.captured:.4g}")
    if belief.dropped_tokens:
        numbers.append(f"dropped {belief.dropped_tokens} alternatives, {belief.dropped:.3g}")
    if belief.ambiguous:
        numbers.append(f"ambiguous {belief.ambiguous:.3g}, mean from {belief.mean_low:.4g} to {belief.mean_high:.4g}")
    if belief.inapplicable:
        numbers.append(f"not applicable {belief.inapplicable:.3g}")
    tell(f"  belief from {belief.source}, confidence {belief.confidence()}: {', '.join(numbers)}")
    for option, p in zip(belief.options, belief.probs, strict=True):
        tell(f"    {p:.4f} {'█' * round(p * 40)} {short(option)}")
    for spelling, option, mass in belief.merged:
        tell(f"    read {short(spelling)!r} as {short(option)!r}: {mass:.3g}")


def _tokens(reply: Reply, criterion: Criterion, rubric: Rubric | None, judge: LLMJudge) -> None:
    """The tokens of the verdict, each with the alternatives at its place."""
    if reply.tokens is None:
        tell("    no log-probabilities came with it")
        return
    asked = [ask(c, judge.settings.keys) for c in (rubric.criteria if rubric else (criterion,))]
    if judge.settings.ask == "criterion":
        asked = [ask(criterion, judge.settings.keys)]
    answers = dict(zip((a.criterion.id for a in asked), read_reply(reply.text, asked).answers, strict=True))
    answer = answers[criterion.id]
    if answer.start is None or answer.end is None:
        tell(f"    no verdict to locate: {answer.problem}")
        return
    tell(f"    verdict {short(answer.answer or '')!r} at characters {answer.start} to {answer.end}; its tokens:")
    for token in _between(reply.tokens, answer.start, answer.end):
        others = ", ".join(f"{text!r} {math.exp(logprob):.4f}" for text, logprob in token.alternatives)
        tell(f"      {token.text!r} {math.exp(token.logprob):.4f}  among {others or 'no alternatives'}")


def _between(tokens: Sequence[Token], start: int, end: int) -> list[Token]:
    """The tokens that hold the characters from start to end."""
    found, at = [], 0
    for token in tokens:
        if at < end and at + len(token.text) > start:
            found.append(token)
        at += len(token.text)
    return found


def _block(name: str, text: str) -> None:
    tell(f"    {name}:")
    for line in text.split("\n"):
        tell(f"      {line}")
