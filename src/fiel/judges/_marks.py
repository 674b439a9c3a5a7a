"""The marks under which a verdict stands in free text, as patterns for one criterion. Decides nothing."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from fiel.judges._asking import Asked
from fiel.judges._spelling import Spellings, spellings

_DECOR = r"[*_`\"'“”«»‘’\[\](){}<>]"
_OPEN, _SHUT = rf"{_DECOR}{{0,6}}", rf"{_DECOR}{{0,6}}"

_LABELS = (
    r"verdict|veredicto|judge?ment|juicio|grade|calificaci[oó]n|nota|score|puntuaci[oó]n|puntaje|rating|valoraci[oó]n|"
    r"results?|resultado|decision|decisi[oó]n|evaluation|evaluaci[oó]n|label|etiqueta|winner|ganador|"
    r"final answer|respuesta final"
)
_COLON = (  # "Score: 4", "**Score:** 4", "the verdict is:\n\n[[A]]"
    r"(?:[ \t]final|[ \t]total)?[ \t\])*_\"'”]{0,6}(?:(?:is|es)[ \t]{0,2})?[:=](?:\s|" + _DECOR + r"){0,8}"
)
_BARE = r"(?P<bare>[\])*_]{0,4}[ \t]{0,3}" + _DECOR + r"{0,4})"  # "[RESULT] 4", "(Coherence) Score 2"

_NOUN = (
    r"(?:(?:the|la|el)\s+)?(?:output|assistant|response|answer|option|choice|model|system|summary|"
    r"salida|asistente|respuesta|opci[oó]n|modelo|sistema|resumen)"
)
_OTHER_NUMBER = (  # what makes a number that stands there another one: 45, 4.5, 4/5, 4 %, 4 out of 5, 4-5, 4 or 5
    r"(?![0-9]|[.,][0-9]|\s*[%/]|\s*(?:out\s+of|of|de|sobre|-|–|—|to|or|a|o|y|and)\s*[0-9])"
)
_OTHER_WORD = (  # the same of a word: "correctly", "yes the", "A good", "yes, but"
    r"(?![\w'’]|" + _DECOR + r"{0,4}[\s,;]*(?:but|though|although|or|however|wait|not|pero|aunque|o|sino)\b)"
    r"(?=" + _DECOR + r"{0,6}(?:[ \t]*(?:\Z|[\r\n.,;:!)\]|])|[ \t]+(?:[-–—(]|(?:because|since|porque|ya que)\b)))"
)
_BETTER = (
    r"\s+is\s+(?:the\s+)?(?:(?:clearly|slightly|overall)\s+)?(?:better|best|winner|preferred)\b"
    r"(?!\s+(?:at|in|on|if|when|only)\b)"
)


class Marks(NamedTuple):
    """The patterns; `v` is the value in each of them.

    `label` ends where a value should stand, which `value` then matches there. `double` is [[A]], `last` [A] at the end
    of a text, `line` a line that holds nothing else, `better` "Output (a) is better".
    """

    known: Spellings
    label: re.Pattern[str]
    value: re.Pattern[str]
    double: re.Pattern[str]
    last: re.Pattern[str]
    line: re.Pattern[str]
    better: re.Pattern[str]


def marks_of(asked: Asked) -> Marks:
    """The patterns for what was asked."""
    return _marks(asked.keys, asked.answers, asked.criterion.id)


@lru_cache(maxsize=512)
def _marks(keys: tuple[str, ...], answers: tuple[str, ...], name: str) -> Marks:
    known = spellings(keys, answers)
    words = sorted(known.all, key=len, reverse=True)
    plain = "|".join(_loose(word) for word in words)
    apart = "|".join(_loose(word) + (_OTHER_NUMBER if word[-1:].isdigit() else _OTHER_WORD) for word in words)
    noun = rf"(?:{_NOUN}\s*{_OPEN})?"

    def made(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern, re.IGNORECASE)

    return Marks(
        known=known,
        label=made(rf"(?<![^\W_])(?P<label>(?:final[ _])?(?:{_LABELS})|{_loose(name)})(?![^\W_])(?:{_COLON}|{_BARE})"),
        value=made(rf"{noun}(?P<v>{apart})"),
        double=made(rf"\[\[\s*{noun}(?P<v>{plain})\s*{_SHUT}\]\]"),
        last=made(rf"\[(?P<v>{plain})\][\s*_]*\Z"),
        line=made(rf"[ \t#]*{_OPEN}{noun}(?P<v>{plain}){_SHUT}(?P<stop>[.!]?){_SHUT}[ \t]*"),
        better=made(rf"(?<![^\W_])(?:{_NOUN}\s*{_OPEN}(?P<v>{plain}){_SHUT}){_BETTER}"),
    )


def _loose(word: str) -> str:
    """The pattern of a word, with any white space for its white space."""
    pattern = r"\s+".join(re.escape(part) for part in word.split())
    return pattern + r"(?:\.0+(?![0-9]))?" if word.isdigit() else pattern
