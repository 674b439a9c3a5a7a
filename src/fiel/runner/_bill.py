"""What a run will take, before any of it is spent. Asks nobody."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from fiel.judges import Judge, LLMJudge, decide
from fiel.records import Rubric, Subject, Usage
from fiel.runner._writer import Keeper

CHARACTERS = 4  # to a token, on the average of English text: an estimate, and said to be one
SAID = 80  # tokens of a reply to one criterion, with its reason


class Bill(NamedTuple):
    """What a run will take.

    Args:
        calls: to make; kept: answers that are there already.
        input, output: tokens, about.
        cost: about; None where the price is unknown.
    """

    calls: int
    kept: int
    input: int
    output: int
    cost: float | None


def bill_of(judge: Judge, items: Iterable[Subject], rubric: Rubric, *, store: Keeper | None = None) -> Bill:
    """Count the calls that judging `items` will make; a judge that asks no model makes none."""
    if not isinstance(judge, LLMJudge):
        return Bill(calls=0, kept=0, input=0, output=0, cost=0.0)
    known = store.reply_digests(judge.model.name) if store is not None else set()
    calls = kept = tokens_in = tokens_out = 0
    for subject in items:
        criteria = tuple(c for c in rubric.criteria if decide(c, subject) is None)
        for request in judge.requests(subject, rubric, criteria):
            if request.digest in known:
                kept += 1
                continue
            calls += 1
            tokens_in += sum(len(message.content) for message in request.messages) // CHARACTERS
            tokens_out += SAID * len((request.schema or {}).get("properties", ()))
    price = getattr(judge.model, "price", None)
    cost = None if price is None else price.of(Usage(input=tokens_in, output=tokens_out))
    return Bill(calls=calls, kept=kept, input=tokens_in, output=tokens_out, cost=cost)
