"""From outcomes to exit codes and from errors to words. Knows no verb."""

from __future__ import annotations

import errno
import io
import os
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
    UNHEARD = 141  # as a shell calls the end of a program whose reader has gone


def say(*lines: str) -> None:
    """Talk: to stderr, so that stdout stays data; whoever stopped listening is not talked to."""
    from fiel.records import one_line  # here, as in the next: `fiel --help` has no use for it

    try:
        for line in lines:
            typer.echo(one_line(line), err=True)
    except (OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what is buffered still would be an error at the end


def warn(text: str) -> None:
    """A warning, with long values in it cut short: it may quote anything."""
    from fiel.cli._short import line

    say(f"warning: {line(text)}")


def tell(*lines: str) -> None:
    """Lines of a result, with what came from a file shown as data."""
    from fiel.records import visible

    for line in lines:
        typer.echo(visible(line).replace("\n", " ↵ "))


def hand_over(document: bytes) -> None:
    """A result in another format: to the byte in a file or a pipe, and with nothing that acts on a terminal."""
    if sys.stdout is not None and sys.stdout.isatty():
        from fiel.records import visible  # here, as above

        document = visible(document.decode()).encode()
    typer.echo(document, nl=not document.endswith(b"\n"))


def console() -> Console:
    """Where results are printed; whatever the terminal's encoding, nothing is lost to an error."""
    from rich.console import Console  # here: `fiel --help` has no use for it

    class Heard(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))  # rich would exit with 1, which means fail

    return Heard(highlight=False)


class Verbs(TyperGroup):
    """The group of verbs; every error leaves it as words and a code."""

    def invoke(self, ctx: Any) -> Any:
        """Run a verb."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        try:
            result = super().invoke(ctx)
            if sys.stdout is not None:
                sys.stdout.flush()  # here, so that a reader that has gone is found out while it can be told
        except KeyboardInterrupt:
            say("fiel: stopped. What was answered is kept; the same command goes on from there.")
            raise typer.Exit(Code.STOPPED) from None
        except Exception as error:  # noqa: BLE001  the last catch: it becomes words and a code
            raise typer.Exit(_told(error)) from None
        return result


def _told(error: Exception) -> Code:
    """The code of an error, after it was told; those that the parser means are raised again."""
    if hasattr(error, "exit_code"):
        raise error
    from fiel.cli._short import told  # here: `fiel --help` has no use for them
    from fiel.models import BudgetError
    from fiel.records import EndpointError, FielError

    if isinstance(error, EndpointError | BudgetError):
        first, *rest = told(error)
        say(f"fiel: stopped. {first}", *rest, "  What was answered is kept; the same command goes on from there.")
        return Code.STOPPED
    if isinstance(error, FielError):
        first, *rest = told(error)
        say(f"fiel: {first}", *rest)
        return Code.USAGE
    if isinstance(error, OSError):
        return _of_the_machine(error)
    say(*"".join(traceback.format_exception(error)).rstrip().split("\n"))
    say("fiel: this is a fault of fiel, not of your files. Please report it with the lines above.")
    return Code.BUG


def _of_the_machine(error: OSError) -> Code:
    """A closed pipe, a full disk, a file that cannot be had: nobody's bug, and never a verdict."""
    if error.errno in {errno.EPIPE, errno.ENOSPC, errno.EIO}:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still buffered for a reader that has gone
    if error.errno == errno.EPIPE:
        return Code.UNHEARD
    from fiel.cli._short import clipped  # here, as above

    where = f": {clipped(str(error.filename))}" if error.filename is not None else ""
    say(f"fiel: {error.strerror or error}{where}")
    return Code.STOPPED if error.errno in {errno.ENOSPC, errno.EIO, errno.EDQUOT} else Code.USAGE
