"""What a criterion asks, by its words: the kind of question, and whether yes is the fault. Knows no answer."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from fiel.judges._words import fold
from fiel.records import Criterion

Kind: TypeAlias = Literal["support", "inventions", "coverage", "abstention", "lexical"]

_SIGNS: dict[Kind, re.Pattern[str]] = {
    "abstention": re.compile(
        r"\b(?:abst(?:ain|en|iene|encion)\w*|sa(?:y|ys) so|admits?|declines?|refus\w+|"
        r"instead of (?:improvis|guess|invent)\w*|"
        r"(?:does not|doesn't|no) (?:hold|contain|contiene|tiene|incluye) (?:the answer|what is asked|la respuesta)|"
        r"lo dice|reconoce|unanswerable|sin respuesta|en vez de (?:improvis|invent|adivin)\w*)\b"
    ),
    "inventions": re.compile(
        r"\b(?:invent\w*|invencion\w*|invenciones|hallucinat\w*|alucina\w*|fabricat\w*|made up|make up|makes up|"
        r"adds?|adding|anad\w+|agrega\w*|absent from|not in the context|ausentes?|se inventa|extrinsic)\b"
    ),
    "coverage": re.compile(
        r"\b(?:complet\w+|cover\w*|cubr\w+|every part|all (?:the )?parts|cada parte|todas las partes|address\w*|"
        r"atiend\w+|aborda\w*|exhaustiv\w*|omits?|omite\w*|leaves? out|missing|relevan\w+|"
        r"answers? (?:the )?(?:question|request)\w*|responde a|main (?:point|event|claim)|"
        r"(?:lo|hecho|idea|tesis) principal\w*|recoge)\b"
    ),
    "support": re.compile(
        r"\b(?:ground\w*|support\w*|faithful\w*|fundament\w+|apoya\w*|respald\w+|fiel\w*|accura\w+|correct\w*|consisten\w+|"
        r"contradic\w+|true|verda\w+|factual\w*|sustent\w+|based on|basad\w+ en|backed)\b"
    ),
}
_FAULTS = re.compile(
    r"\b(?:invent\w*|hallucinat\w*|alucina\w*|fabricat\w*|makes? up|adds?|anade\w*|agrega\w*|contradic\w+|unsupported|"
    r"omits?|omite\w*|leaves? out|miss(?:es|ing)?|deja fuera)\b"
)
_DENIALS = re.compile(
    r"\b(?:no|not|free|without|nothing|never|avoids?|only|refrains?|instead|sin|nada|nunca|evita|libre|solo|unicamente|"
    r"en vez)\b"
)
_NO = re.compile(r"^(?:no|not|false|falso|never|nunca|none|ningun\w*|absent|ausente)\b")
_YES = re.compile(r"^(?:yes|si|true|verdadero|cierto|always|siempre)\b")


def kind_of(criterion: Criterion) -> Kind:
    """The kind of question, by the words of the id (counted three times), the question (twice) and the guidance.

    Ties fall to the narrower kind: abstention, inventions, coverage, support. `support` where no word tells.

    >>> kind_of(Criterion(id="covers", question="Does the ANSWER cover every part of the QUESTION?"))
    'coverage'
    """
    parts = (
        (3, fold(criterion.id.replace("_", " ").replace("-", " "))),
        (2, fold(criterion.question)),
        (1, fold(criterion.guidance or "")),
    )
    scores = {
        kind: sum(weight for weight, text in parts if text and signs.search(text)) for kind, signs in _SIGNS.items()
    }
    best = max(scores, key=lambda kind: scores[kind])
    return best if scores[best] else "support"


def passes_on_fault(criterion: Criterion) -> bool:
    """Whether the passing options say yes to a question that asks for the fault ("Does it invent figures?")."""
    question = fold(criterion.question)
    asks = _FAULTS.search(question) is not None and _DENIALS.search(question) is None
    return asks and all(_YES.match(fold(option)) for option in criterion.passes)


def passes_on_no(criterion: Criterion) -> bool:
    """Whether every passing option says no to the question."""
    return all(_NO.match(fold(option)) for option in criterion.passes)
