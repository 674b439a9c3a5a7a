"""A verdict in free text, where it stands under a mark or alone. Knows no JSON and guesses nothing.

What counts is a mark ([[A]], [RESULT] 5, "Score: 4", "Final answer: B", [4] at the end) or a first or last line that is
nothing but the value; where neither is there, a statement such as "Output (a) is better". Verdicts that agree are one.
Where they disagree, those announced as final ("Final verdict:", "[RESULT]", "[[A]]") or drawn as a conclusion
("Therefore, Output (a) is better") decide if they agree and one of them stands on the last line; else there are two
verdicts and so none. In real replies, partial scores come before the final one, and a judge that cannot decide
announces both.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fiel.judges._asking import Answer, Asked
from fiel.judges._json_answers import TWO_VERDICTS
from fiel.judges._marks import Marks, marks_of
from fiel.judges._spelling import INVISIBLE

THINKS_ON = "the reply ends its thinking more than once"
NO_VERDICT = "no verdict stands in the text"

_SENTENCE = 400  # characters before a statement that are looked at
_LONGEST = 40  # characters of what stood there that a problem tells
_CLUSTER = re.compile("[\r\n]|.[\u0300-\u036f]*", re.DOTALL)
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_THOUGHT = re.compile(r"\s*<(think(?:ing)?|thought|reasoning)>", re.IGNORECASE)
_THOUGHT_END = re.compile(r"</(?:think(?:ing)?|thought|reasoning)>", re.IGNORECASE)
_NEWLINE = re.compile(r"\n")
_QUOTES = frozenset("\"'“”‘’«»`")
_FINAL = re.compile(r"verdict|veredicto|result|final", re.IGNORECASE)
_OPENS = re.compile(r"(?:\A|[\n\[(*_#]|\)[ \t])[ \t]*\Z")  # before a label that has no colon
_GOES_ON = re.compile(r"[ \t]*\w")  # after a value whose label has no colon: "Result 3 shows"
_IF = re.compile(r"[\s\"'”\])*_`]*,?\s*(?:if|when|si|cuando)\b", re.IGNORECASE)
_DOUBT = re.compile(
    r"\b(?:not|neither|nor|never|if|whether|unless|although|though|while|but|says?|said|argues?|claims?|considers?|"
    r"considered|suggests?|states?)\b|n['’]t\b",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"\b(?:therefore|thus|hence|so|overall|conclusion|conclude|por (?:lo )?tanto|based on)\b", re.IGNORECASE
)
_REFUSES = re.compile(
    r"\W{0,20}(?:(?:I['’]?m |I am )?(?:so |very |really )?sorry\b|I apologi[sz]e\b|lo siento\b|lamento\b|"
    r"(?:as an AI[^.\n]{0,60}?|unfortunately,? |lamentablemente,? )?"
    r"(?:I (?:can(?:['’]t|not| not)|am (?:unable|not able) to|won['’]t|will not)|no puedo|no me es posible)\s+"
    r"(?:assist|help|provide|comply|continue|fulfil|judge|evaluate|grade|rate|answer|respond|engage|discuss|"
    r"ayudar|proporcionar|continuar|evaluar|responder|cumplir|juzgar))",
    re.IGNORECASE,
)


class _Mark(NamedTuple):
    """A value under a mark: the answer that it is (None where it is none), how it is written, its place."""

    answer: str | None
    written: str
    start: int
    end: int
    final: bool
    label: str = ""


def read_text(text: str, asked: Asked) -> Answer:
    r"""The verdict of a free-text reply on one criterion, or None with the reason.

    A thinking block at the beginning does not count, nor does a mark under a condition ("[[A]] if A is better"), a
    value that goes on ("GRADE: CI", "7/10", "Verdict: not correct"), a number off the scale, or what is quoted whole
    (it says "Verdict: yes"). Where the last thing announced is short and no answer, an earlier verdict does not stand
    for it.

    >>> from fiel.records import Criterion
    >>> grade = Asked(criterion=Criterion(id="c", question="?", options=("incorrect", "correct")), keys=("I", "C"))
    >>> read_text("It misses the date.\nGRADE: I", grade).answer, read_text("GRADE: CI", grade).problem
    ('incorrect', "off the scale: 'CI'")
    """
    begin = after_thinking(text)
    if begin is None:
        return Answer(problem="the reply ends within its thinking")
    if begin and ends_thinking(text[begin:]):
        return Answer(problem=THINKS_ON)
    clean, places = _clean(text[begin:])
    found = _decide(clean, marks_of(asked))
    if isinstance(found, str):
        return Answer(problem=found)
    start = begin + (places[found.start] if places else found.start)
    end = begin + (places[found.end - 1] + 1 if places else found.end)
    return Answer(answer=found.answer, start=start, end=end)


def refuses(text: str) -> bool:
    """Whether a reply begins by declining to judge.

    >>> refuses("I'm sorry, but I can't help with that."), refuses("Lo siento, no puedo evaluar."), refuses("No.")
    (True, True, False)
    """
    return _REFUSES.match(text) is not None


def after_thinking(text: str) -> int | None:
    """Where a reply begins after the thinking at its beginning; None where that does not end."""
    begin = 0
    while opening := _THOUGHT.match(text, begin):
        closing = _THOUGHT_END.search(text, opening.end())
        if closing is None:
            return None
        begin = closing.end()
    return begin


def ends_thinking(text: str) -> int:
    """Where the first mark that ends thinking ends; 0 where there is none."""
    closing = _THOUGHT_END.search(text)
    return closing.end() if closing else 0


def _clean(text: str) -> tuple[str, list[int] | None]:
    """The text in compatibility form without invisible characters, and where each of its characters came from."""
    if text.isascii() or (not _INVISIBLE.search(text) and unicodedata.is_normalized("NFKC", text)):
        return text, None
    parts: list[str] = []
    places: list[int] = []
    for cluster in _CLUSTER.finditer(text):
        plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", cluster[0]))
        parts.append(plain)
        places.extend([cluster.start()] * len(plain))
    return "".join(parts), places


def _decide(text: str, marks: Marks) -> _Mark | str:
    """The one verdict of a text, or why there is none."""
    if not text.strip():
        return "the reply is empty"
    kinds = (*_labelled(text, marks), *_bracketed(text, marks), *_alone(text, marks))
    found = sorted(kinds, key=lambda mark: mark.start)
    valid = [mark for mark in found if mark.answer is not None]
    if not valid:
        return f"off the scale: {_shown(found[-1].written)}" if found else _one(_stated(text, marks), text)
    labels = {mark.label for mark in valid}
    later = [
        mark
        for mark in found
        if mark.answer is None and mark.start >= valid[-1].end and (mark.final or mark.label in labels)
    ]
    return f"off the scale: {_shown(later[-1].written)}" if later else _one(valid, text)


def _one(marks: Sequence[_Mark], text: str) -> _Mark | str:
    """What marks agree on, else what those agree on that are final, if one of them stands on the last line."""
    if not marks:
        return "the reply refuses to judge" if refuses(text) else NO_VERDICT
    if len({mark.answer for mark in marks}) == 1:
        return marks[0]
    final = [mark for mark in marks if mark.final]
    last_line = text.rfind("\n", 0, len(text.rstrip())) + 1
    agreed = len({mark.answer for mark in final}) == 1 and final[-1].start >= last_line
    return final[-1] if agreed else TWO_VERDICTS


def _labelled(text: str, marks: Marks) -> Iterator[_Mark]:
    """Values after a label; what a colon announces and is short counts where it is none, too."""
    for label in marks.label.finditer(text):
        if label["bare"] is not None and not _OPENS.search(text[max(0, label.start() - 20) : label.start()]):
            continue
        name = label["label"].casefold()
        final = _FINAL.search(name) is not None
        value = marks.value.match(text, label.end())
        if label["bare"] is not None and value and _GOES_ON.match(text, value.end("v")):
            continue
        if value:
            if not _quoted(text, label.start(), value.end("v")):
                yield _mark(value, marks, final=final, label=name)
        elif label["bare"] is None:
            written = text[label.end() : label.end() + 2 * _LONGEST].split("\n", 1)[0].strip()
            if written and len(written.split()) <= 3 and len(written) <= _LONGEST:
                yield _Mark(None, written, label.end(), label.end() + len(written), final, name)


def _bracketed(text: str, marks: Marks) -> Iterator[_Mark]:
    """Values in double brackets, but on no line that sets conditions, and in a bracket at the end."""
    breaks = [match.start() for match in _NEWLINE.finditer(text)]
    found = [(bisect_left(breaks, match.start()), match) for match in marks.double.finditer(text)]
    conditional = {line for line, match in found if _IF.match(text, match.end())}
    for line, match in found:
        if line not in conditional and not _quoted(text, match.start(), match.end()):
            yield _mark(match, marks, final=True)
    if last := marks.last.search(text.rstrip()):
        yield _mark(last, marks, final=True)


def _quoted(text: str, start: int, end: int) -> bool:
    """Whether what stands there is in quotes as a whole."""
    return text[max(0, start - 1) : start] in _QUOTES and text[end : end + 1] in _QUOTES


def _alone(text: str, marks: Marks) -> Iterator[_Mark]:
    """The first and the last line where they hold nothing but the value; "4." alone only as the whole reply."""
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    breaks = text.find("\n", start, end), text.rfind("\n", start, end)
    whole = breaks[0] < 0
    lines = {(start, end if whole else breaks[0]), (start if whole else breaks[1] + 1, end)}
    for first, last in lines:
        match = marks.line.fullmatch(text, first, last)
        if match and (whole or not match["stop"] or not match["v"][-1:].isdigit()):
            yield _mark(match, marks, final=False)


def _stated(text: str, marks: Marks) -> list[_Mark]:
    """Sentences that say that one is better, without a doubt in the same clause."""
    found = []
    for match in marks.better.finditer(text):
        before = text[max(0, match.start() - _SENTENCE) : match.start()]
        sentence = before[max(before.rfind(mark) for mark in ".!?\n") + 1 :]
        clause = sentence[max(sentence.rfind(mark) for mark in ";:,") + 1 :]
        if not _DOUBT.search(clause):
            found.append(_mark(match, marks, final=_CONCLUDES.search(sentence) is not None))
    return found


def _mark(match: re.Match[str], marks: Marks, *, final: bool, label: str = "") -> _Mark:
    return _Mark(marks.known.answer(match["v"]), match["v"], match.start("v"), match.end("v"), final, label)


def _shown(written: str) -> str:
    return repr(written if len(written) <= _LONGEST else written[: _LONGEST - 1] + "…")
