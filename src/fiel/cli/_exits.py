"""From outcomes to exit codes and from errors to words. Knows no verb."""

from __future__ import annotations

import errno
import io
import sys
import traceback
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    from rich.console import Console


class Code(IntEnum):
    """What a shell or a CI job sees."""

    DONE = 0
    FAIL = 1
    USAGE = 2
    UNDECIDED = 3
    STOPPED = 4
    BUG = 70


def say(text: str) -> None:
    """Talk: to stderr, so that stdout stays data."""
    typer.echo(text, err=True)


def console() -> Console:
    """Where results are printed; whatever the terminal's encoding, nothing is lost to an error."""
    from rich.console import Console  # here: `fiel --help` has no use for it

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return Console(highlight=False)


class Verbs(TyperGroup):
    """The group of verbs; every error leaves it as words and a code."""

    def invoke(self, ctx: Any) -> Any:
        """Run a verb."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            say("fiel: stopped. What was answered is kept; the same command goes on from there.")
            raise typer.Exit(Code.STOPPED) from None
        except Exception as error:  # noqa: BLE001  the last catch: it becomes words and a code
            raise typer.Exit(_told(error)) from None


def _told(error: Exception) -> Code:
    """The code of an error, after it was told; those that the parser or a closed pipe means are raised again."""
    if hasattr(error, "exit_code") or getattr(error, "errno", None) == errno.EPIPE:
        raise error
    from fiel.records import FielError  # here: `fiel --help` has no use for it

    if isinstance(error, FielError):
        say(f"fiel: {error}")
        return Code.USAGE
    if isinstance(error, OSError) and error.filename is not None:
        say(f"fiel: {error.strerror}: {error.filename}")
        return Code.USAGE
    traceback.print_exception(error, file=sys.stderr)
    say("fiel: this is a fault of fiel, not of your files. Please report it with the lines above.")
    return Code.BUG
