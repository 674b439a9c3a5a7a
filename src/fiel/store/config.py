"""What `fiel.toml` says, as records, with errors that name line and key. Knows no rubric, no item and no model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

from fiel.records import FielError
from fiel.store._files import suggestion
from fiel.store._secrets import USE_ENVIRONMENT, carries_secret, is_variable, names_secret
from fiel.store._toml import Document, MisplacedError, Place, read_toml, to_record

Name: TypeAlias = Annotated[str, Meta(pattern=r"^\S(.*\S)?$")]
Count: TypeAlias = Annotated[int, Meta(ge=1)]
Amount: TypeAlias = Annotated[float, Meta(ge=0)]

_SHARES = {"at_least": 0.0, "confidence": 0.5, "max_unscored": 0.0}
"""The keys of a gate that are shares, and what each lies above."""


class Section(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of every part of fiel.toml: frozen, named fields, no others."""


class ProjectSection(Section, frozen=True, kw_only=True):
    """The project as a whole.

    Args:
        name: shown at the head of reports.
        items: a pattern of the files that hold the items, relative to the folder of fiel.toml.
        labels: a pattern of plain label files, read when no label file is named on the command line.
        stakes: "high" lets no gate pass while the review queue waits.
    """

    name: Name
    items: str = "items/*.jsonl"
    labels: str | None = None
    stakes: Literal["normal", "high"] = "normal"


class Price(Section, frozen=True, kw_only=True):
    """What a model costs, per million tokens.

    Args:
        input: of the prompt.
        output: of the reply.
    """

    input: Amount
    output: Amount


class ModelEntry(Section, frozen=True, kw_only=True):
    """A model that judges may ask.

    Args:
        kind: "endpoint" speaks chat completions over HTTP; "local" is llama.cpp in this process; "replay" answers from
            recorded replies and asks nobody.
        base_url: of the endpoint, up to and including its version ("https://api.example.com/v1"); no secret in it.
        model: the name under which the endpoint knows the model.
        api_key_env: the environment variable that holds the key; the key itself stands in no file.
        price: per million tokens; unknown when absent, never 0.
        max_in_flight: how many calls may run at once.
        gguf: the weights of a local model, relative to the folder of fiel.toml.
        recording: the recorded replies of a replayed model, relative to the folder of fiel.toml; its `model` is the
            name under which they were recorded.
    """

    kind: Literal["endpoint", "local", "replay"] = "endpoint"
    base_url: str | None = None
    model: str | None = None
    api_key_env: str | None = None
    price: Price | None = None
    max_in_flight: Count = 16
    gguf: str | None = None
    recording: str | None = None

    def __post_init__(self) -> None:
        wanted = {"endpoint": ("base_url", "model"), "local": ("gguf",), "replay": ("recording", "model")}
        for key in wanted[self.kind]:
            if not getattr(self, key):
                raise MisplacedError(f"A model of kind {self.kind!r} needs {key!r}.", place=(), fix=f"Add {key}.")
        if self.api_key_env is not None and not is_variable(self.api_key_env):
            raise MisplacedError(
                "api_key_env is not the name of an environment variable, and may be a key (not shown here).",
                place=("api_key_env",),
                fix=USE_ENVIRONMENT,
            )
        if self.base_url is not None:
            _check_url(self.base_url)


class JudgeEntry(Section, frozen=True, kw_only=True):
    """A judge: a model and a rubric, a baseline that asks no model, or one that somebody else ran.

    Args:
        name: under which it is shown and its judgements are kept.
        kind: "llm" asks a model; "baseline" answers without one; "imported" came in with fiel import and is not run.
        model: the name of a [models.*] table.
        rubric: the id of a rubric, which is the file rubrics/ID.toml.
        ask: "item" asks all criteria in one call, "criterion" one call each.
        samples: how many times each question is asked.
        temperature: 0 when absent, 0.7 with several samples; several samples at 0 measure rerun noise.
        prompt: a file with another prompt, relative to the project; it holds {criteria} and {answer}.
        keys: how answers are spelt in the reply: "text", "letters", or "auto", which is letters where one answer begins
            another.
        reason: whether the judge gives its reason "before" the verdict, "after" it, or "none".
        reason_length: characters of it at the most, where the endpoint holds to a schema.
        unsupported: what a failure is whose fragment does not stand in the text: "abstain" or "keep".
        strict: believe the written value alone.
        floor: probability under which an alternative is dropped.
        top_logprobs: how many alternatives are asked for; 0 asks for none.
        max_tokens: of a reply.
        content: the digest of everything that was imported of a judge; fiel import writes it.
    """

    name: Name
    kind: Literal["llm", "baseline", "imported"] = "llm"
    model: str | None = None
    rubric: Name
    ask: Literal["item", "criterion"] = "item"
    samples: Count = 1
    temperature: Annotated[float, Meta(ge=0, le=5)] | None = None
    prompt: str | None = None
    keys: Literal["auto", "letters", "text"] = "auto"
    reason: Literal["before", "after", "none"] = "before"
    reason_length: Count | None = None
    unsupported: Literal["abstain", "keep"] = "abstain"
    strict: bool = False
    floor: Annotated[float, Meta(ge=0, lt=1)] = 0.0
    top_logprobs: Annotated[int, Meta(ge=0, le=20)] = 20
    max_tokens: Count = 1500
    content: str | None = None

    def __post_init__(self) -> None:
        if self.kind == "llm" and self.model is None:
            raise MisplacedError(f"The judge {self.name!r} names no model.", place=(), fix='Add model = "...".')
        if self.kind == "baseline" and self.model is not None:
            raise MisplacedError("A baseline asks no model.", place=("model",), fix="Take the key out.")
        if self.kind == "imported" and self.model is not None:
            raise MisplacedError("An imported judge asks no model.", place=("model",), fix="Take the key out.")
        if (self.kind == "imported") != (self.content is not None):
            what = "needs" if self.kind == "imported" else "has no"
            fix = "Run fiel import again: it writes the key." if self.kind == "imported" else "Take the key out."
            place = () if self.kind == "imported" else ("content",)
            raise MisplacedError(f"A judge of kind {self.kind!r} {what} content.", place=place, fix=fix)


class GateEntry(Section, frozen=True, kw_only=True):
    """A threshold that one criterion has to reach.

    Args:
        name: shown in the verdict.
        judge: the name of one of the judges.
        criterion: the id of a criterion of its rubric.
        rate: "corrected" by the labels, "raw" as the judge says, or "agreement" of judge and people.
        at_least: the bar, as a share.
        confidence: how sure one has to be, from 0.5 to 0.999999.
        undecided: what thin evidence counts as.
        max_unscored: the largest share of items without a verdict that the gate puts up with.
    """

    name: Name
    judge: str
    criterion: str
    rate: Literal["corrected", "raw", "agreement"] = "corrected"
    at_least: Annotated[float, Meta(gt=0, lt=1)]
    confidence: Annotated[float, Meta(ge=0.5, le=0.999999)] = 0.95
    undecided: Literal["undecided", "fail", "pass"] = "undecided"
    max_unscored: Annotated[float, Meta(ge=0, le=1)] = 0.10


class StoreSection(Section, frozen=True, kw_only=True):
    """Where the two databases are; they are never one.

    Args:
        judgements: the database of replies and judgements, relative to the folder of fiel.toml.
        labels: the database of raters and answers.
    """

    judgements: str = ".fiel/judgements.db"
    labels: str = ".fiel/labels.db"

    def __post_init__(self) -> None:
        for key in ("judgements", "labels"):
            if carries_secret(getattr(self, key)):
                raise MisplacedError(
                    "The address holds a password (not shown here).",
                    place=(key,),
                    fix="Leave it out; a database client reads it from its own environment variable or file.",
                )
        if self.judgements == self.labels:
            raise MisplacedError(
                "Judgements and labels are in one database.", place=("labels",), fix="Give it its own."
            )


class Config(Section, frozen=True, kw_only=True):
    """The whole of fiel.toml.

    Args:
        project: the project as a whole.
        models: by name, what judges may ask.
        judges: who judges.
        gates: what has to be reached.
        store: where the databases are.
    """

    project: ProjectSection
    models: dict[str, ModelEntry] = {}
    judges: tuple[JudgeEntry, ...] = ()
    gates: tuple[GateEntry, ...] = ()
    store: StoreSection = StoreSection()

    def __post_init__(self) -> None:
        _check_unique([judge.name for judge in self.judges], "judges")
        _check_unique([gate.name for gate in self.gates], "gates")
        for index, judge in enumerate(self.judges):
            if judge.model is not None and judge.model not in self.models:
                raise MisplacedError(
                    f"The judge {judge.name!r} asks the model {judge.model!r}, which has no [models.*] table.",
                    place=("judges", index, "model"),
                    fix=suggestion(judge.model, self.models, those="Models"),
                )
        names = [judge.name for judge in self.judges]
        for index, gate in enumerate(self.gates):
            if gate.judge not in names:
                raise MisplacedError(
                    f"The gate {gate.name!r} names the judge {gate.judge!r}, which does not exist.",
                    place=("gates", index, "judge"),
                    fix=suggestion(gate.judge, names, those="Judges"),
                )


def load_config(path: Path | str) -> Config:
    """Read and check a `fiel.toml`.

    Raises:
        FielError: no such file, not UTF-8, not TOML, an unknown or missing key, a value out of its range, a name that
            nothing has, or a secret; with file, line and key. A secret is never shown.
    """
    return check_config(read_toml(Path(path)))


def check_config(document: Document) -> Config:
    """The configuration that a document holds.

    Raises:
        FielError: as `load_config`.
    """
    _refuse_secrets(document)
    _refuse_nul(document)
    _refuse_percentages(document)
    return to_record(document, Config)


def _refuse_secrets(document: Document) -> None:
    for place in _leaves(document.data, ()):
        key = str(place[-1])
        if names_secret(key):
            raise FielError(
                f"The key {key!r} looks like a secret (not shown here); a file that is committed must not hold one.",
                where=document.where(place),
                fix=USE_ENVIRONMENT,
            )
        if any(carries_secret(text) for text in _texts(document, place)):
            raise FielError(
                "An address holds a password or a token (not shown here).",
                where=document.where(tuple(step for step in place if not carries_secret(str(step)))),
                fix="Leave it out; what reads the address takes it from an environment variable or a file of its own.",
            )


def _refuse_nul(document: Document) -> None:
    """No name and no path has a NUL, and what gets one ends with the operating system's words."""
    for place in _leaves(document.data, ()):
        if any("\0" in text for text in _texts(document, place)):
            raise FielError("A text holds a NUL character.", where=document.where(place), fix="Take it out.")


def _texts(document: Document, place: Place) -> list[str]:
    """The keys that lead to a leaf, and the texts that it holds."""
    value: Any = document.data
    for step in place:
        value = value[step]
    parts = value if isinstance(value, list) else [value]
    return [text for text in (*place, *parts) if isinstance(text, str)]


def _refuse_percentages(document: Document) -> None:
    """Say which share was meant where a gate has a percentage."""
    gates = document.data.get("gates")
    for index, gate in enumerate(gates if isinstance(gates, list) else ()):
        for key, lowest in _SHARES.items() if isinstance(gate, dict) else ():
            share = _share_of(gate.get(key))
            if share is not None and lowest < share < 1:
                raise FielError(
                    f"{key} is {gate[key]!r}, which reads like a percentage; it is a share below 1.",
                    where=document.where(("gates", index, key)),
                    fix=f"Did you mean {share:.2f}?" if share == round(share, 2) else f"Did you mean {share:.6g}?",
                )


def _share_of(value: Any) -> float | None:
    """The share that a percentage stands for: a number from 2, or a text that ends in a percent sign.

    >>> _share_of(80), _share_of("99.5 %"), _share_of(0.8), _share_of("high")
    (0.8, 0.995, None, None)
    """
    if isinstance(value, str):
        found = re.fullmatch(r"\s*(\d{1,3}(?:[.,]\d{1,9})?)\s*%\s*", value)
        return float(found[1].replace(",", ".")) / 100 if found else None
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value / 100 if number and 2 <= value <= 100 else None


def _leaves(value: Any, place: Place) -> Iterator[Place]:
    """The places of all values that are no tables; an entry of a list stands under the key of the list."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _leaves(entry, (*place, key))
    elif isinstance(value, list) and any(isinstance(entry, dict) for entry in value):
        for index, entry in enumerate(value):
            yield from _leaves(entry, (*place, index))
    elif place:
        yield place


def _check_url(url: str) -> None:
    if carries_secret(url):
        raise MisplacedError("The address holds a secret (not shown here).", place=("base_url",), fix=USE_ENVIRONMENT)
    if not url.startswith(("http://", "https://")):
        raise MisplacedError(
            "base_url must start with http:// or https://.",
            place=("base_url",),
            fix='Such as "http://localhost:8080/v1".',
        )


def _check_unique(names: list[str], section: str) -> None:
    for index, name in enumerate(names):
        if name in names[:index]:
            raise MisplacedError(
                f"Two of the {section} are called {name!r}.", place=(section, index, "name"), fix="Rename one of them."
            )
