"""Chat completions as bytes: a request made into a body, a body read as a reply. Knows no network."""

from __future__ import annotations

from typing import Any

import msgspec

from fiel.models._outcomes import Complaint
from fiel.models._terms import Terms
from fiel.records import FielError, Reply, Request, Token, Usage

_OURS = {
    "messages": "They are the messages of the request.",
    "model": "It is the model of the endpoint.",
    "response_format": "Give the request a schema.",
    "logprobs": "Give top_logprobs, the number of alternatives.",
    "n": "Make one request for each sample; only one choice is read.",
    "stream": "A reply is read whole.",
}


class UnreadableError(Exception):
    """An endpoint said that all was well and sent something that is no reply."""


class _Alternative(msgspec.Struct, gc=False):
    token: str
    logprob: float


class _Entry(msgspec.Struct, gc=False):
    token: str
    logprob: float
    top_logprobs: list[_Alternative] | None = None


class _Logprobs(msgspec.Struct, gc=False):
    content: list[_Entry] | None = None


class _Part(msgspec.Struct, gc=False):
    text: str | None = None


class _Message(msgspec.Struct, gc=False):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _PlainChoice(msgspec.Struct, gc=False):
    message: _Message
    finish_reason: str | None = None
    error: Any = None


class _Choice(_PlainChoice, gc=False):
    logprobs: _Logprobs | None = None


class _Head(msgspec.Struct, gc=False):
    model: str | None = None
    system_fingerprint: str | None = None
    usage: Any = None
    timings: Any = None
    error: Any = None


class _Body(_Head, gc=False):
    choices: list[_Choice] | None = None


class _PlainBody(_Head, gc=False):
    choices: list[_PlainChoice] | None = None


_BODY = msgspec.json.Decoder(_Body)
_PLAIN = msgspec.json.Decoder(_PlainBody)  # for bodies whose log-probabilities are in no form that is known


def fields_of(request: Request, *, model: str, terms: Terms) -> dict[str, Any]:
    """The fields of the body of a request.

    Args:
        request: what is asked.
        model: the name under which the endpoint knows the model.
        terms: what the endpoint is known to take.

    Raises:
        FielError: a parameter is none of the caller's business, or top_logprobs is not a count.
    """
    fields: dict[str, Any] = {"model": model, "messages": request.messages}
    for name, value in request.parameters.items():
        if name in _OURS:
            raise FielError(f"The parameter {name!r} cannot be given.", where="request", fix=_OURS[name])
        if name == "top_logprobs":
            fields |= _logprobs_of(value, terms)
        elif name == "max_tokens" and terms.renamed:
            fields["max_completion_tokens"] = value
        elif name not in terms.dropped:
            fields[name] = value
    if request.schema is not None and terms.form != "text":
        fields["response_format"] = {"type": terms.form}
        if terms.form == "json_schema":
            named = {"name": "verdict", "strict": True, "schema": request.schema}
            fields["response_format"]["json_schema"] = named
    return fields


def _logprobs_of(value: Any, terms: Terms) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise FielError(
            f"top_logprobs is {value!r}; it must be a whole number from 0 on.", where="the parameters of a request"
        )
    if not terms.logprobs:
        return {}
    return {"logprobs": True, "top_logprobs": value if terms.most is None else min(value, terms.most)}


def reply_of(body: bytes, *, latency: float | None = None) -> Reply:
    """The reply that a body holds.

    Args:
        body: of a response whose status says that all is well.
        latency: seconds that it took.

    Raises:
        UnreadableError: not JSON, no choices, or an error in place of a reply; with its first 200 characters.
    """
    read = _read(body)
    if read.error or not read.choices or read.choices[0].error:
        raise UnreadableError(f"no reply, but {excerpt(body)}")
    choice = read.choices[0]
    message = choice.message
    refused = bool(message.refusal)
    text = message.refusal or _text_of(message.content)
    entries = choice.logprobs.content if isinstance(choice, _Choice) and choice.logprobs and not refused else None
    return Reply(
        text=text,
        tokens=_tokens_of(entries, text) if entries else None,
        finish="refusal" if refused else choice.finish_reason,
        usage=_usage_of(read.usage, read.timings),
        served=read.model,
        fingerprint=read.system_fingerprint,
        latency=latency,
    )


def _read(body: bytes) -> _Body | _PlainBody:
    try:
        return _BODY.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        return _PLAIN.decode(body.decode("utf-8", "replace"))
    except msgspec.DecodeError:
        raise UnreadableError(f"no chat completion, but {excerpt(body)}") from None


def _text_of(content: str | list[_Part] | None) -> str:
    if isinstance(content, list):
        return "".join(part.text for part in content if part.text)
    return content or ""


def _tokens_of(entries: list[_Entry], text: str) -> tuple[Token, ...]:
    """The tokens that spell the text.

    Servers also give the tokens that they cut off before it: white space, or what a model thought aloud.
    """
    spelt = "".join([entry.token for entry in entries])
    cut = spelt.rfind(text) if len(spelt) > len(text) > 0 else 0
    start = 0
    while cut > 0:
        cut -= len(entries[start].token)
        start += 1
    return tuple(
        [
            Token(
                text=entry.token,
                logprob=entry.logprob,
                alternatives=tuple([(other.token, other.logprob) for other in entry.top_logprobs or ()]),
            )
            for entry in (entries[start:] if cut == 0 else entries)
        ]
    )


def _usage_of(usage: Any, timings: Any) -> Usage:
    told = usage if isinstance(usage, dict) else {}
    details = told.get("prompt_tokens_details") or told.get("input_tokens_details")
    places = (details, "cached_tokens"), (told, "cached_tokens"), (told, "prompt_cache_hit_tokens")
    return Usage(
        input=_count((told, "prompt_tokens"), (told, "input_tokens")),
        output=_count((told, "completion_tokens"), (told, "output_tokens")),
        cached=_count(*places, (told, "cache_read_input_tokens"), (timings, "cache_n")),
    )


def _count(*places: tuple[Any, str]) -> int | None:
    """The first of several places that holds a count."""
    for table, name in places:
        value = table.get(name) if isinstance(table, dict) else None
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
            return int(value)
    return None


def complaint_of(body: bytes, *, status: int = 400) -> Complaint:
    """What an endpoint said when it refused a request, whichever of the usual forms it chose.

    >>> complaint_of(b'{"error": {"message": "Too long.", "param": "messages"}}').message
    'Too long.'
    """
    try:
        told = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Complaint(message=excerpt(body), status=status)
    if isinstance(told, list) and told:
        told = told[0]
    if isinstance(told, dict) and isinstance(told.get("error"), dict | str):
        told = told["error"]
    if isinstance(told, str):
        return Complaint(message=excerpt(told, 400), status=status)
    if not isinstance(told, dict):
        return Complaint(message=excerpt(body), status=status)
    message = told.get("message") or told.get("detail") or told.get("title")
    if isinstance(message, list):  # FastAPI: where, and what of it; what was sent stands beside them and does not count
        message = "; ".join(f"{part.get('loc')} {part.get('msg')}" for part in message if isinstance(part, dict))
    param, code = told.get("param"), told.get("code") or told.get("type")
    return Complaint(
        message=excerpt(message, 400) if isinstance(message, str) and message else excerpt(body),
        param=param if isinstance(param, str) else None,
        code=code if isinstance(code, str) else None,
        status=status,
    )


def excerpt(text: bytes | str, most: int = 200) -> str:
    r"""The first characters of what came back, in one line, its control characters escaped.

    >>> excerpt(b"<html>\n\x1b[31m")
    '<html>\\n\\x1b[31m'
    """
    if isinstance(text, bytes):
        text = text[: most * 4].decode("utf-8", "replace")
    shown = "".join([c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[:most]])
    return shown or "an empty body"
