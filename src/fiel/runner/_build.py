"""From an entry of `fiel.toml` to a judge. Knows no question."""

from __future__ import annotations

from fiel.judges import Baseline, Imported, Judge, LLMJudge
from fiel.models import Endpoint, Local, Replay, connect, local
from fiel.records import FielError, Model
from fiel.store.config import JudgeEntry, ModelEntry
from fiel.store.project import Project

_SETTINGS = (
    *("ask", "samples", "temperature", "keys", "reason", "reason_length", "unsupported", "strict", "floor"),
    *("top_logprobs", "max_tokens"),
)


def judge_from(entry: JudgeEntry, project: Project) -> Judge:
    """The judge that `[[judges]]` describes. Nothing is asked and nothing is opened but a local model's file.

    Raises:
        FielError: a setting that cannot work, a prompt that is not there or cannot work, a missing package or file.
    """
    if entry.kind == "baseline":
        return Baseline(name=entry.name)
    if entry.kind == "imported":
        return Imported(name=entry.name, content=str(entry.content))
    settings = {name: getattr(entry, name) for name in _SETTINGS}
    if entry.prompt is not None:
        settings["prompt"] = _prompt(project, entry.prompt)
    name = entry.model or ""
    return LLMJudge(_model(name, project.config.models[name], project), name=entry.name, **settings)


def _model(name: str, entry: ModelEntry, project: Project) -> Model:
    """The model under its logical name, which with the provider's own is the key of its replies."""
    if entry.kind == "local":
        return local(project.root / str(entry.gguf), slots=min(entry.max_in_flight, 4))
    if entry.kind == "replay":
        return Replay(project.root / str(entry.recording), name=str(entry.model))
    return connect(
        str(entry.base_url),
        model=str(entry.model),
        name=f"{name}:{entry.model}",
        api_key_env=entry.api_key_env,
        price=entry.price,
        max_in_flight=entry.max_in_flight,
    )


def check_model(judge: Judge) -> None:
    """Find out before the first call what would stop all of them, such as a key that is not set.

    Raises:
        FielError: it names the environment variable.
    """
    model = judge.model if isinstance(judge, LLMJudge) else None
    if isinstance(model, Endpoint | Local):
        model.check()


def _prompt(project: Project, path: str) -> str:
    file = project.root / path
    if not file.is_file():
        raise FielError(f"The prompt {path} is no file.", where="fiel.toml, [[judges]], prompt")
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FielError(f"The prompt cannot be read: {error}.", where="fiel.toml, [[judges]], prompt") from error
