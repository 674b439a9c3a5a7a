"""From an entry of `fiel.toml` to a judge. Knows no question."""

from __future__ import annotations

from fiel.judges import Baseline, Judge
from fiel.records import FielError
from fiel.store.config import JudgeEntry


def judge_from(config: JudgeEntry) -> Judge:
    """The judge that `[[judges]]` describes.

    Raises:
        FielError: its kind cannot be run by this version.
    """
    if config.kind == "baseline":
        return Baseline(name=config.name)
    raise FielError(
        f"Judge {config.name!r} asks a language model, which this version of fiel cannot do yet.",
        where="fiel.toml, [[judges]]",
        fix='Use kind = "baseline" for now.',
    )
