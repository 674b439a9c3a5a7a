"""What in a committed file looks like a secret. Knows no file and shows no value."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

USE_ENVIRONMENT = 'Put it in an environment variable and name that: api_key_env = "JUDGE_API_KEY".'

_NAME = re.compile(
    r"(^|[_-])(api_?key|key|token|secret|password|passwd|auth|authorization|credentials?)$", re.IGNORECASE
)
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_BEFORE_HOST = re.compile(r"(\w:/+)[^/\s@]*@")
_CLOUD_KEY = re.compile(r"(AKIA|ASIA)[A-Z0-9]{16}")


def names_secret(key: str) -> bool:
    """Whether a key of this name holds a secret.

    >>> names_secret("api_key"), names_secret("api_key_env"), names_secret("max_tokens")
    (True, False, False)
    """
    return bool(_NAME.search(key))


def is_variable(text: str) -> bool:
    """Whether this is the name of an environment variable and not a key by mistake.

    >>> is_variable("JUDGE_API_KEY"), is_variable("sk-abc"), is_variable("abcdef0123")
    (True, False, False)
    """
    return bool(_VARIABLE.fullmatch(text)) and not _CLOUD_KEY.fullmatch(text)


def carries_secret(address: str) -> bool:
    """Whether an address has a password or token before its host, or a parameter that is named like a secret.

    >>> carries_secret("https://api.example.com/v1"), carries_secret("https://me:pw@api.example.com/v1")
    (False, True)
    """
    try:
        parts = urlsplit(address)
        before_host = parts.password is not None or (parts.scheme.startswith("http") and parts.username is not None)
        return before_host or any(names_secret(name) for name, _ in parse_qsl(parts.query))
    except ValueError:  # such as an unclosed bracket: no address at all
        return _BEFORE_HOST.search(address) is not None


def without_credentials(text: str) -> str:
    """A text with what stands before the host of an address in it taken out.

    >>> without_credentials("https://me:pw@example.com/v1")
    'https://…@example.com/v1'
    """
    return _BEFORE_HOST.sub(r"\1…@", text)
