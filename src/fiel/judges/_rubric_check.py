"""What is likely to go wrong with the wording of a rubric, before anything is paid. Knows no judge and no answer."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fiel.judges._words import fold
from fiel.records import Criterion, Rubric, Subject

_NUMBERED = 10  # options from which a numeric scale needs definitions
_DEFINED = 3  # of its numbers that the guidance has to name for the scale to count as defined

# All patterns are for folded text. The group is what is shown to the reader.
_THE = "(?:the|an?|its?|his|her|their|every|each|all|any|no|only|el|la|los|las|una?|sus?|cada|tod[oa]s?)"
_AUXILIARY = r"\b(?:does|do|did|can|could|should|will|would)\b[^?]*? "
_GOOD = (
    "(?:accurate|brief|clear|coherent|complete|concise|consistent|correct|faithful|fluent|friendly|grounded|helpful|"
    "honest|kind|polite|precise|readable|relevant|safe|short|true|useful|amable|breve|clar[oa]|coherente|complet[oa]|"
    "concis[oa]|correct[oa]|cort[oa]|educad[oa]|exact[oa]|fiel|fluid[oa]|fundamentad[oa]|honest[oa]|precis[oa]|"
    "relevante|segur[oa]|util|veraz)"
)
_BARE_VERBS = (
    "(?:acknowledge|agree|apologi[sz]e|appear|avoid|cite|comply|contain|contradict|describe|explain|follow|give|go|have|"
    "identify|include|keep|make|omit|provide|refer|remain|respond|say|suggest|tell|write)"
)
_NOUNS_TOO = (  # these count before an article only: "and name the author", not "name and year"
    "(?:add|address|answer|ask|claim|cover|help|list|mention|name|offer|quote|read|report|respect|show|sound|state|stay|"
    "support|use)"
)
_VERBS_ES = (
    "(?:admite|anade|aclara|aporta|atiende|contiene|contradice|cubre|da|describe|dice|es|esta|evita|explica|hace|"
    "identifica|incluye|indica|informa|inventa|mantiene|menciona|muestra|ofrece|omite|parece|propone|reconoce|responde|"
    "respeta|resuelve|sugiere|suena|tiene|usa|utiliza)"
)
_NOUNS_TOO_ES = "(?:apoya|cita|cumple|nombra|resume|sigue|trata)"
_AND_ES = "[yeou] (?:tambien |ademas )?(?:no )?(?:se |lo |la )?"
_TWO_QUESTIONS = (
    re.compile(rf"{_AUXILIARY}((?:and|or) (?:also |then |not )?{_BARE_VERBS})\b"),
    re.compile(rf"{_AUXILIARY}((?:and|or) (?:also |then )?{_NOUNS_TOO} {_THE})\b"),
    re.compile(
        r"\b((?:and|or) (?:also )?(?:is|are|does|did|has|have|can|should) (?:it|they|there|the|all|every|each))\b"
    ),
    re.compile(rf"\b({_AND_ES}{_VERBS_ES})\b"),
    re.compile(rf"\b({_AND_ES}{_NOUNS_TOO_ES} {_THE})\b"),
    re.compile(rf"\b({_GOOD},? (?:and|or|y|e|o|u) {_GOOD})\b"),
)
_RELATIVE = re.compile(r"\b(?:que|cuanto|quien|donde)(?: [\w,]+){1,3} $")  # "lo que dice y responde" asks one thing

_COUNT = r"(?:\d+|one|two|three|four|five|six|ten|twenty|fifty|dos|tres|cuatro|cinco|seis|diez|veinte|cien)"
_CHECKABLE = tuple(
    (re.compile(pattern), check)
    for pattern, check in (
        (r"\bjson\b", "json_schema"),
        (rf"\b{_COUNT} (?:words?|characters?|letters?|lines?|palabras?|caracteres|letras|lineas?)\b", "length"),
        (r"\b(?:contain|include|mention|use)s? the (?:exact )?(?:word|phrase|text|string)\b", "contains"),
        (r"\b(?:contiene|incluye|menciona|usa|aparece|figura) (?:la palabra|la frase|el texto)\b", "contains"),
        (r"\b(?:regex|regular expression|expresion regular)\b", "regex"),
        (r"\bmatch(?:es)? the (?:pattern|format)\b|\b(?:sigue|cumple) el (?:patron|formato)\b", "regex"),
        (r"\bvalid (?:e-?mail|url|date|iban|number)\b|\b(?:correo|url|fecha|iban|numero) valid[oa]\b", "regex"),
        (r"\b(?:start|begin|end)s? with\b|\b(?:empieza|comienza|termina|acaba) (?:por|con|en)\b", "regex"),
        (r"\b(?:identical|exactly equal) to\b|\b(?:identic[oa]|exactamente igual) (?:al?|que)\b", "equals"),
    )
)
_TASTE = re.compile(
    r"\b(nice|good|great|best|beautiful|beautifully|pleasant|elegant|elegantly|engaging|interesting|impressive|excellent|"
    r"appealing|likeable|enjoyable|quality|well[- ]written|you like|users? like|do you like|would you like|overall|"
    r"calidad|buen[oa]?s?|mejor|gusta|gustaria|agradable|bonit[oa]|elegante|interesante|atractiv[oa]|excelente|"
    r"bien escrit[oa]|impresionante|en general)\b"
)
_FACTUAL = re.compile(
    r"\b(support(?:s|ed)?|correct|correctly|true|accurate|accurately|grounded|factual|factually|faithful|hallucinat\w+|"
    r"apoya|apoyad[oa]|respalda|correct[oa]|cierto|verdader[oa]|exact[oa]|fundamentad[oa]|fiel|veraz)\b"
)
_FORM = re.compile(r"\b(?:gramma\w*|gramatica\w*|spell\w*|ortograf\w*|punctuat\w*|puntuacion)\b")
_BAD = re.compile(
    r"^(?:no|not|false|none|never|bad|poor|wrong|incorrect|fail|fails|failed|worst|low|unacceptable|falso|ningun[oa]?|nunca|"
    r"mal|mal[oa]|incorrect[oa]|suspenso|pesim[oa]|peor|baj[oa]|inaceptable)\b"
)


def look_over(rubric: Rubric, items: Iterable[Subject] = ()) -> tuple[str, ...]:
    """One sentence for each suspicion about the wording of a rubric, naming its criterion, in the order of the rubric.

    Suspicions are by wording, in English and Spanish, and may be wrong: nothing is refused. They are: a numeric scale
    of ten or more options without definitions; two questions in one; what a deterministic check could decide; a
    question of taste; a factual question about items of which none has context or reference (only when `items` are
    given); an unstated `passing` whose last option reads like a failure, or of three options or more without an
    order.

    >>> look_over(Rubric(id="r", criteria=(Criterion(id="nice", question="Is it nice?"),)))[0]
    'Criterion "nice" asks for taste ("nice"): say in its guidance what a yes needs, so that two people would agree.'
    """
    subjects = tuple(items)
    found = []
    for criterion in rubric.criteria:
        asked = fold(criterion.question)
        suspicions = (
            _undefined_scale(criterion),
            _two_questions(asked),
            _checkable(criterion, asked),
            _taste(criterion, asked),
            _groundless(asked, subjects),
            _passing_unstated(criterion),
        )
        found += [f'Criterion "{criterion.id}" {suspicion}' for suspicion in suspicions if suspicion]
    return tuple(found)


def _undefined_scale(criterion: Criterion) -> str | None:
    if criterion.values is None or len(criterion.options) < _NUMBERED:
        return None
    named = set(re.findall(r"\d+(?:\.\d+)?", criterion.guidance or ""))
    if len(named & set(criterion.options)) >= _DEFINED:
        return None
    first, last = criterion.options[0], criterion.options[-1]
    return (
        f"is a scale from {first} to {last} without definitions: say in its guidance what the numbers mean, "
        "or ask a few yes-or-no questions instead."
    )


def _two_questions(asked: str) -> str | None:
    if asked.count("?") > 1:
        return "has two question marks: make a criterion of each question."
    for pattern in _TWO_QUESTIONS:
        for match in pattern.finditer(asked):
            if not _RELATIVE.search(asked[max(0, match.start(1) - 60) : match.start(1)]):
                return f'asks two things at once ("{match.group(1)}"): make a criterion of each.'
    return None


def _checkable(criterion: Criterion, asked: str) -> str | None:
    if criterion.checks:
        return None
    for pattern, check in _CHECKABLE:
        match = pattern.search(asked)
        if match:
            return (
                f'asks what a program can decide ("{match.group()}"): give it a {check} check, and no judge is asked.'
            )
    return None


def _taste(criterion: Criterion, asked: str) -> str | None:
    match = _TASTE.search(asked)
    if match is None or (criterion.guidance or "").strip():
        return None
    return f'asks for taste ("{match.group(1)}"): say in its guidance what a yes needs, so that two people would agree.'


def _groundless(asked: str, subjects: tuple[Subject, ...]) -> str | None:
    match = _FACTUAL.search(asked)
    if match is None or not subjects or _FORM.search(asked):
        return None
    if any((subject.context or "").strip() or (subject.reference or "").strip() for subject in subjects):
        return None
    return (
        f'asks about facts ("{match.group(1)}") and none of the items has a context or a reference: '
        "the judge would answer from memory."
    )


def _passing_unstated(criterion: Criterion) -> str | None:
    if criterion.passing:
        return None
    first, last = criterion.options[0], criterion.options[-1]
    values = criterion.values
    backwards = values is not None and values[0] > values[-1]
    bad_first, bad_last = (_BAD.match(fold(option)) is not None for option in (first, last))
    if criterion.scale == "nominal" and len(criterion.options) > 2 and values is None and not (bad_first or bad_last):
        return f'does not say what passes: its options have no order, and "{last}" alone would count: state `passing`.'
    if not backwards and (bad_first or not bad_last):
        return None
    return f'does not say what passes, and its last option is "{last}", which would count as passing: state `passing`.'
