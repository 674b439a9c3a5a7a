"""Which column plays which role, guessed from its name in English and Spanish. Knows no cell."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping

import msgspec

from fiel.records import FielError
from fiel.store._files import suggestion

_NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id", "uuid", "guid", "identifier", "identificador"),
    "output": (
        *("output", "answer", "response", "reply", "completion", "generation", "prediction", "summary", "model_output"),
        *("generated_text", "assistant_message", "bot_message", "mensaje_bot", "mensaje_asistente"),
        *("respuesta", "contestacion", "salida", "resumen", "prediccion", "generacion"),
    ),
    "input": (
        *("input", "question", "prompt", "query", "instruction", "user_input", "message", "request", "utterance"),
        *("pregunta", "entrada", "consulta", "instruccion", "mensaje", "peticion", "solicitud"),
    ),
    "reference": (
        *("reference", "expected", "expected_output", "ground_truth", "gold_answer", "gold", "ideal", "target"),
        *("correct_answer", "correct_response", "answer_key", "referencia", "esperado", "esperada"),
        *("respuesta_esperada", "respuesta_correcta", "respuesta_ideal"),
    ),
    "context": (
        *("context", "contexts", "retrieved_contexts", "source", "sources", "document", "documents", "docs", "passage"),
        *("passages", "chunk", "chunks", "snippet", "snippets", "excerpt", "excerpts", "fragment", "fragments"),
        *("evidence", "background", "knowledge", "kb", "knowledge_base"),
        *("contexto", "contextos", "fuente", "fuentes", "documento", "documentos", "pasaje", "pasajes", "fragmento"),
        *("fragmentos", "trozo", "trozos", "extracto", "extractos", "evidencia", "conocimiento"),
    ),
    "group": ("group", "cluster", "grupo"),
    "author": ("author", "system", "model", "model_name", "autor", "sistema", "modelo"),
}
_LOOSE = ("reference", "output", "input", "context", "author")
"""The roles that a part of a name may give, in the order in which they choose: `model_answer` is an answer."""

_NUMBERING = frozenset({"id", "number", "num", "nr", "numero", "codigo", "identificador"})
_THINGS = {
    "id": frozenset(
        {
            *("item", "example", "sample", "record", "row", "entry", "case", "ticket", "message", "request", "answer"),
            *("response", "order", "ejemplo", "muestra", "registro", "fila", "caso", "mensaje", "solicitud"),
            *("incidencia", "respuesta", "pedido"),
        }
    ),
    "group": frozenset(
        {
            *("doc", "document", "conversation", "user", "customer", "session", "thread", "question", "context"),
            *("documento", "conversacion", "usuario", "cliente", "sesion", "hilo", "pregunta", "contexto"),
        }
    ),
}
"""What has a number of its own: one of these and one of `_NUMBERING`, in either order, is a name of the role."""

_SMALL = frozenset({"of", "the", "de", "del", "la", "el"})
_MEASURES = frozenset(
    {
        *("number", "num", "count", "id", "longitud", "numero", "tipo", "fecha", "hora", "tiempo", "idioma"),
        *("puntuacion", "valoracion", "nota", "coste", "codigo", "etiqueta", "version", "url"),
    }
)
"""Words that say, as the first or the last of a name, that the column holds no text."""

_NOT_TEXT = _MEASURES | {
    *("ids", "uuid", "type", "language", "lang", "date", "time", "seconds", "timestamp", "chars", "characters"),
    *("words", "length", "len", "tokens", "cost", "score", "scores", "rating", "rank", "label", "labels", "rater"),
    *("caracteres", "palabras", "segundos"),
}
_NAMING = frozenset({"name", "title", "path", "file", "filename", "nombre", "titulo", "archivo"})
"""Last words of a column that names a text and does not hold it; an author has a name and nothing else."""

_NUMERO = re.compile(r"\bn\.?\s?[º°]|№|#|\bn(?:o|um|úm|ro)\.(?!\w)", re.IGNORECASE)
_ASIDE = re.compile(r"[(\[{]([^)\]}]*)[)\]}]")


class Guess(msgspec.Struct, frozen=True, kw_only=True):
    """The column of each role, None where no column plays it, and the columns that play none.

    Args:
        fields: the columns that are left, to slice by.
        unclear: role to the columns that would play it equally well, of which none was taken.
    """

    id: str | None = None
    input: str | None = None
    context: str | None = None
    output: str | None = None
    reference: str | None = None
    group: str | None = None
    author: str | None = None
    fields: tuple[str, ...] = ()
    unclear: dict[str, tuple[str, ...]] = {}


ROLES = tuple(name for name in Guess.__struct_fields__ if name not in {"fields", "unclear"})


def guess_columns(columns: Iterable[str], *, given: Mapping[str, str] | None = None) -> Guess:
    """Guess the role of each column; no column plays two, and of two that are equally good none is taken.

    The name of the role comes first; then its other usual names, accents, capitals and punctuation aside; then the same
    without what stands in parentheses; then the last word of a name (`user_question`), then the first, unless the name
    says that the column holds no text (`answer_length`).

    Args:
        columns: their names.
        given: role to column, where the user has said so; not guessed again.

    Raises:
        FielError: `given` names a column that does not exist, a role that does not exist, or one column twice.

    >>> guess = guess_columns(["ticket nº", "Pregunta", "answer_a", "answer_b", "answer_length"])
    >>> guess.id, guess.input, guess.output, guess.unclear
    ('ticket nº', 'Pregunta', None, {'output': ('answer_a', 'answer_b')})
    """
    names = list(columns)
    found = _given(names, given or {})
    unclear: dict[str, tuple[str, ...]] = {}
    normal = {column: normal_name(column) for column in names}
    bare = {column: _bare(column) for column in names}

    def take(role: str, candidates: Collection[str]) -> None:
        """Give the role its one free candidate; with several, say so and give it none."""
        gone = {*found.values(), *(column for several in unclear.values() for column in several)}
        free = tuple(column for column in candidates if column not in gone)
        if role in found or role in unclear or not free:
            return
        if len(free) == 1:
            found[role] = free[0]
        else:
            unclear[role] = free

    for role in _NAMES:
        take(role, [column for column in names if normal[column] == role])
    for spelled in (normal, bare):
        for role in _NAMES:
            take(role, [column for column in names if _is_named(spelled[column], role)])
    for role in _LOOSE:
        texts = {column: bare[column].split("_") for column in names if _may_be_text(bare[column], role)}
        take(role, [column for column, words in texts.items() if words[-1] in _NAMES[role]])
        take(role, [column for column, words in texts.items() if words[0] in _NAMES[role]])
    take("id", [column for column in names if normal[column] == "number"])  # a column that is called "#" or "nº"
    return Guess(**found, fields=tuple(column for column in names if column not in found.values()), unclear=unclear)


def _given(names: list[str], given: Mapping[str, str]) -> dict[str, str]:
    for role, column in given.items():
        if role not in ROLES:
            raise FielError(f"No item has a {role!r}.", fix=suggestion(role, ROLES, those="Roles"))
        if column not in names:
            raise FielError(f"There is no column {column!r}.", fix=suggestion(column, names, those="Columns"))
        if list(given.values()).count(column) > 1:
            raise FielError(f"The column {column!r} is given two roles.", fix="Give each role a column of its own.")
    return dict(given)


def _is_named(name: str, role: str) -> bool:
    """Whether a normal name is one of the role's, or numbers one of its things (`doc_id`, `numero_de_ticket`)."""
    words = {word for word in name.split("_") if word not in _SMALL}
    numbered = len(words) == 2 and bool(words & _NUMBERING) and bool(words & _THINGS.get(role, frozenset()))
    return name in _NAMES[role] or numbered


def _may_be_text(name: str, role: str) -> bool:
    words = name.split("_")
    return not (words[0] in _MEASURES or words[-1] in _NOT_TEXT or (words[-1] in _NAMING and role != "author"))


def _bare(column: str) -> str:
    """The normal name without what stands in parentheses, unless that says what the column measures.

    >>> _bare("Texto fuente (KB)"), _bare("Answer (length)")
    ('texto_fuente', 'answer_length')
    """
    asides = [normal_name(aside).split("_")[-1] for aside in _ASIDE.findall(column)]
    whole = normal_name(column)
    return whole if _NOT_TEXT.intersection(asides) else normal_name(_ASIDE.sub(" ", column)) or whole


def normal_name(column: str) -> str:
    """Lower case, no accents, words joined by `_`; a numero sign is the word "number".

    >>> normal_name("Información útil"), normal_name("userQuestion"), normal_name("Ticket Nº")
    ('informacion_util', 'user_question', 'ticket_number')
    """
    worded = _NUMERO.sub(" number ", unicodedata.normalize("NFC", column))
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", worded) if not unicodedata.combining(sign))
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain)
    return "_".join(re.findall(r"[^\W_]+", spaced.lower()))
