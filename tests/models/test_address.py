"""Addresses are completed once, and secrets are taken out of everything that is shown."""

from __future__ import annotations

from typing import Any

import pytest

from fiel.models._address import Credentials, address_of
from fiel.records import FielError

ADDRESS = address_of("https://api.example.com/v1")


def credentials(**given: Any):
    """Credentials with these and nothing else."""
    return Credentials(ADDRESS, **({"api_key": None, "api_key_env": None, "headers": None} | given))


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions"),
        ("https://api.example.com/v1/", "https://api.example.com/v1/chat/completions"),
        ("https://api.example.com/v1/chat/completions", "https://api.example.com/v1/chat/completions"),
        ("https://api.example.com", "https://api.example.com/chat/completions"),
        (
            "https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
            "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21",
        ),
    ],
)
def test_the_path_is_appended_once(base: str, url: str):
    """Any usual base URL leads to its chat completions, before the query and never twice."""
    assert address_of(base).url == url


@pytest.mark.parametrize("base", ["", "localhost:8080", "ftp://example.com", "https://", "http://host:port/v1"])
def test_what_is_no_address_is_refused(base: str):
    """An address without scheme, host or proper port is an error that shows how one looks."""
    with pytest.raises(FielError, match="base_url") as caught:
        address_of(base)
    assert "/v1" in str(caught.value)


def test_a_password_in_the_address_is_refused_unseen():
    """A URL with a password is refused, and the error does not show it."""
    with pytest.raises(FielError, match="not shown") as caught:
        address_of("https://user:hunter22@example.com/v1")
    assert "hunter22" not in str(caught.value)


def test_the_query_is_not_shown():
    """A query may hold a key, so the address is shown without it."""
    assert "s3cret-s3cret" not in address_of("https://example.com/v1?key=s3cret-s3cret").shown


def test_the_key_goes_where_the_host_wants_it():
    """The key is a bearer token, on Azure a header of its own, and a header of the caller's wins."""
    assert credentials(api_key="k-123456").headers(where="") == {"Authorization": "Bearer k-123456"}
    azure = Credentials(
        address_of("https://x.openai.azure.com/openai/v1"), api_key="k-123456", api_key_env=None, headers=None
    )
    assert azure.headers(where="") == {"api-key": "k-123456"}
    own = credentials(api_key="k-123456", headers={"authorization": "Basic abc"})
    assert own.headers(where="") == {"authorization": "Basic abc"}
    assert credentials().headers(where="") == {}


def test_a_missing_variable_is_named(monkeypatch: pytest.MonkeyPatch):
    """Without its variable the key cannot be had: the error names the variable, where, and what to do."""
    monkeypatch.delenv("JUDGE_API_KEY", raising=False)
    with pytest.raises(FielError, match=r"JUDGE_API_KEY(?s:.*)model 'fast'(?s:.*)export JUDGE_API_KEY"):
        credentials(api_key_env="JUDGE_API_KEY").headers(where="model 'fast'")
    monkeypatch.setenv("JUDGE_API_KEY", " k-123456\n")
    assert credentials(api_key_env="JUDGE_API_KEY").headers(where="")["Authorization"] == "Bearer k-123456"


@pytest.mark.parametrize(
    "given",
    [
        {"api_key": "k", "api_key_env": "K"},
        {"api_key": " "},
        {"api_key": "sk-hunter22\nX: y"},
        {"api_key_env": "sk-hunter22"},
        {"headers": {"X-Key": "hunter22\n"}},
        {"headers": {"X Key": "hunter22"}},
    ],
)
def test_what_no_header_can_hold_is_refused_unseen(given):
    """Keys, variables and headers that cannot be sent are refused, without showing them."""
    with pytest.raises(FielError) as caught:
        credentials(**given)
    assert "hunter22" not in str(caught.value)


def test_secrets_are_hidden_in_texts_and_bodies():
    """The key, secret headers and secrets of the query are taken out; a harmless header stays."""
    address = address_of("https://example.com/v1?api-key=query-secret&v=2024-10-21")
    known = Credentials(
        address,
        api_key="k-123456",
        api_key_env=None,
        headers={"X-Auth": "Bearer other-secret", "X-Title": "a title"},
    )
    text = "k-123456 Bearer other-secret other-secret query-secret a title 2024-10-21"
    assert known.hide(text) == "[hidden] [hidden] [hidden] [hidden] a title 2024-10-21"
    assert known.hide_in(text.encode()) == known.hide(text).encode()
    assert "123456" not in repr(known)
