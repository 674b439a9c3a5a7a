"""What an endpoint turned out not to do, learnt from what it refuses. Knows no network and no HTTP."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from fiel.models._outcomes import Complaint

_STEPS = (20, 10, 5, 3, 1)
_OPTIONAL = ("temperature", "seed")  # what a request can do without when an endpoint knows nothing of it

_SIZE = re.compile(
    r"less than|at most|max\b|maximum|greater|larger|exceed|between|range|too (large|big|high|many)|above|up to|limit"
    r"|<=|≤"
)
_UNSUPPORTED = re.compile(
    r"unsupported|unrecogni[sz]ed|unknown|unexpected|extra (inputs?|fields?)|extra_forbidden|not (currently )?(be )?"
    r"(support|allow|availab|permit|enabl|accept|compatib|implement)|(does not|doesn't|do not|don't|cannot|can't) "
    r"(support|allow|accept|have)|only the default|only supported"
)
_SCHEMA = re.compile(r"response[_ ]format|json[_ ]?schema|structured[_ ]output|guided|json[_ ]object|json mode")


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """What is sent to an endpoint, as far as it is known.

    Args:
        logprobs: whether log-probabilities are asked for at all.
        most: the largest top_logprobs that it takes; None while no limit was met.
        form: how a schema is sent: in full, as the mere wish for JSON, or not at all.
        dropped: parameters that are left out.
        renamed: whether max_tokens is called max_completion_tokens.
    """

    logprobs: bool = True
    most: int | None = None
    form: Literal["json_schema", "json_object", "text"] = "json_schema"
    dropped: frozenset[str] = frozenset()
    renamed: bool = False

    @property
    def without(self) -> frozenset[str]:
        """Words for what is left out: "logprobs", "schema" (not enforced), "json" (nor JSON), names of parameters."""
        lost = {"logprobs": not self.logprobs, "schema": self.form != "json_schema", "json": self.form == "text"}
        return self.dropped | {word for word, gone in lost.items() if gone}


def revise(terms: Terms, complaint: Complaint, sent: Mapping[str, Any]) -> Terms | None:
    """The terms on which a request may be taken that was refused; None where the refusal is about something else.

    Every revision asks for less than the one before, so that a series of them ends.

    Args:
        terms: under which the request was sent.
        complaint: why it was refused.
        sent: the fields of its body.

    >>> revise(Terms(), Complaint(message="top_logprobs: at most 5"), {"logprobs": True, "top_logprobs": 20}).most
    5
    """
    words = f"{complaint.param or ''} {complaint.code or ''} {complaint.message}".lower()
    for subject in filter(None, (complaint.param, complaint.message)):  # the parameter that it names counts first
        revised = _revise(terms, subject.lower(), words, sent)
        if revised is not None:
            return revised
    return None


def _revise(terms: Terms, subject: str, words: str, sent: Mapping[str, Any]) -> Terms | None:
    unsupported = _UNSUPPORTED.search(words) is not None
    if sent.get("logprobs") and re.search(r"log_?probs|top.logprob", subject):
        return _with_fewer_logprobs(terms, words, asked=sent.get("top_logprobs", 0), unsupported=unsupported)
    if "response_format" in sent and _SCHEMA.search(subject):
        form: Literal["json_object", "text"] = "json_object" if terms.form == "json_schema" else "text"
        return msgspec.structs.replace(terms, form=form)
    if "max_tokens" in sent and "max_tokens" in subject and (unsupported or "max_completion_tokens" in words):
        return msgspec.structs.replace(terms, renamed=True)
    for name in _OPTIONAL:
        if name in sent and re.search(rf"\b{name}\b", subject) and unsupported:
            return msgspec.structs.replace(terms, dropped=terms.dropped | {name})
    return None


def _with_fewer_logprobs(terms: Terms, words: str, *, asked: int, unsupported: bool) -> Terms:
    """The number that the message names, if it is smaller; else the next step down; none where there is no step."""
    about_size = _SIZE.search(words) is not None
    named = [int(number) for number in re.findall(r"(?<![\w.-])\d{1,3}(?![\w-])", words)] if about_size else []
    smaller = [number for number in named if 0 < number < asked] or [step for step in _STEPS if step < asked]
    if not smaller or (unsupported and not about_size):
        return msgspec.structs.replace(terms, logprobs=False)
    return msgspec.structs.replace(terms, most=max(smaller))
