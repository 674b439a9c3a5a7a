"""Whether a judge may be judging its own kind. A guess from names, for a warning and nothing else."""

from __future__ import annotations

import re

_WORDS = re.compile(r"[a-z]{3,}")
_COMMON = frozenset(
    {
        *("base", "chat", "model", "instruct", "mini", "large", "small", "medium", "tiny", "nano", "preview", "latest"),
        *("turbo", "flash", "pro", "plus", "lite", "open", "free", "ultra", "vision", "reasoning", "gguf", "local"),
        *("judge", "house", "fast", "system", "bot", "assistant", "agent", "api", "support", "version", "test"),
        *("prod", "production", "staging", "team", "human", "people", "the", "and", "for"),
    }
)


def same_family(one: str, other: str) -> bool:
    """Whether two names of models or systems share a word that is not a common one.

    >>> same_family("gpt-4o-mini-2024-07-18", "openai/gpt-5")
    True
    >>> same_family("claude-haiku", "gpt-4o-mini")
    False
    """
    return bool(_telling(one) & _telling(other))


def _telling(name: str) -> set[str]:
    return set(_WORDS.findall(name.casefold())) - _COMMON
