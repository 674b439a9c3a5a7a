"""Which column plays which role, guessed from its name in English and Spanish. Knows no cell."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

import msgspec

from fiel.records import FielError
from fiel.store._files import suggestion

_EXACT: dict[str, tuple[str, ...]] = {
    "id": ("id", "item_id", "uuid", "example_id", "sample_id", "record_id", "row_id", "answer_id", "response_id"),
    "output": (
        *("output", "answer", "response", "completion", "generation", "prediction", "summary", "model_output"),
        *("respuesta", "salida", "resumen", "prediccion", "generacion"),
    ),
    "input": (
        *("input", "question", "prompt", "query", "instruction", "user_input"),
        *("pregunta", "entrada", "consulta", "instruccion"),
    ),
    "reference": (
        *("reference", "expected", "expected_output", "ground_truth", "gold_answer", "gold", "ideal", "target"),
        *("referencia", "esperado", "esperada", "respuesta_esperada", "respuesta_correcta"),
    ),
    "context": (
        *("context", "contexts", "retrieved_contexts", "source", "document", "documents", "passage", "passages"),
        *("contexto", "contextos", "fuente", "documento", "documentos", "pasaje"),
    ),
    "group": (
        *("group", "cluster", "doc_id", "document_id", "conversation_id", "user_id", "session_id", "thread_id"),
        *("question_id", "context_id", "grupo", "conversacion_id", "usuario_id", "documento_id"),
    ),
    "author": ("author", "system", "model", "model_name", "autor", "sistema", "modelo"),
}
_LOOSE = ("reference", "output", "input", "context", "author")
"""The roles that a part of a name may give, in the order in which they choose: `model_answer` is an answer."""

_NOT_TEXT = frozenset(
    {
        *("id", "ids", "uuid", "version", "type", "url", "language", "lang", "date", "time", "seconds", "b"),
        *("length", "len", "count", "tokens", "cost", "score", "scores", "rating", "rank", "label", "labels", "rater"),
    }
)


class Guess(msgspec.Struct, frozen=True, kw_only=True):
    """The column of each role, None where no column plays it, and the columns that play none.

    Args:
        fields: the columns that are left, to slice by.
    """

    id: str | None = None
    input: str | None = None
    context: str | None = None
    output: str | None = None
    reference: str | None = None
    group: str | None = None
    author: str | None = None
    fields: tuple[str, ...] = ()


ROLES = tuple(name for name in Guess.__struct_fields__ if name != "fields")


def guess_columns(columns: Iterable[str], *, given: Mapping[str, str] | None = None) -> Guess:
    """Guess the role of each column; no column plays two.

    Whole names come first, accents and capitals aside; then the last or first word of a name (`user_question`), unless
    its last word says that it is no text (`answer_length`).

    Args:
        columns: their names.
        given: role to column, where the user has said so; not guessed again.

    Raises:
        FielError: `given` names a column that does not exist, a role that does not exist, or one column twice.

    >>> guess_columns(["uuid", "Pregunta", "respuesta", "answer_length"])
    Guess(id='uuid', input='Pregunta', context=None, output='respuesta', reference=None, group=None, author=None, \
fields=('answer_length',))
    """
    names = list(columns)
    found = _given(names, given or {})
    normal = {column: normal_name(column) for column in names}
    for role, known in _EXACT.items():
        _take(found, role, [column for name in known for column in names if normal[column] == name])
    for role in _LOOSE:
        words = [name for name in _EXACT[role] if "_" not in name]
        parts = {column: normal[column].split("_") for column in names}
        text = [column for column in names if parts[column][-1] not in _NOT_TEXT]
        last = [column for column in text if parts[column][-1] in words]
        first = [column for column in text if parts[column][0] in words]
        _take(found, role, last + first)
    rest = tuple(column for column in names if column not in found.values())
    return Guess(**found, fields=rest)


def _given(names: list[str], given: Mapping[str, str]) -> dict[str, str]:
    for role, column in given.items():
        if role not in ROLES:
            raise FielError(f"No item has a {role!r}.", fix=suggestion(role, ROLES, those="Roles"))
        if column not in names:
            raise FielError(f"There is no column {column!r}.", fix=suggestion(column, names, those="Columns"))
        if list(given.values()).count(column) > 1:
            raise FielError(f"The column {column!r} is given two roles.", fix="Give each role a column of its own.")
    return dict(given)


def _take(found: dict[str, str], role: str, candidates: list[str]) -> None:
    """Give the role the first candidate that plays none yet."""
    free = [column for column in candidates if column not in found.values()]
    if role not in found and free:
        found[role] = free[0]


def normal_name(column: str) -> str:
    """Lower case, no accents, words joined by `_`.

    >>> normal_name("Información útil"), normal_name("userQuestion")
    ('informacion_util', 'user_question')
    """
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", column) if not unicodedata.combining(sign))
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain)
    return "_".join(re.findall(r"[^\W_]+", spaced.lower()))
