"""The verbs and their options. Each verb loads what it needs when it runs, so that `fiel --help` stays quick.

Annotations are no strings here: typer would have to evaluate each of them at every start.
"""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from fiel.cli._exits import Code, Verbs

app = typer.Typer(
    cls=Verbs,
    help="Check your language-model judge: does it agree with people, and what are its figures worth?",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


Format = Literal["text", "json", "html", "md"]
GateFormat = Literal["text", "json", "md", "junit"]
Language = Literal["en", "es"]
Folder = Annotated[Path, typer.Option("--project", "-p", help="The project's folder, or one inside it.")]
Labels = Annotated[
    Path | None, typer.Argument(help="A label file: item, criterion, rater, answer. Default: labels in fiel.toml.")
]
JudgeName = Annotated[str | None, typer.Option("--judge", "-j", help="One judge of fiel.toml; default: all.")]
Confidence = Annotated[float, typer.Option("--confidence", help="How sure an interval has to be.")]


def _version(wanted: bool) -> None:
    if wanted:
        from fiel import __version__

        typer.echo(f"fiel {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Check your language-model judge: does it agree with people, and what are its figures worth?"""


@app.command()
def demo(
    folder: Annotated[Path, typer.Argument(help="A new folder for the project.")] = Path("fiel-demo"),
) -> None:
    """Make a whole project in a new folder, offline, and end with its report."""
    from fiel.cli import _demo

    _demo.run(folder)


@app.command()
def init(
    file: Annotated[Path | None, typer.Argument(help="Your answers: CSV, JSONL or Parquet.")] = None,
    rubric: Annotated[str, typer.Option("--rubric", help="A shipped rubric: rag, summary, support.")] = "rag",
    language: Annotated[Language, typer.Option("--language", help="Of the rubric.")] = "en",
    output: Annotated[str | None, typer.Option("--output", help="The column with the answer.")] = None,
    input_: Annotated[str | None, typer.Option("--input", help="The column with the question.")] = None,
    context: Annotated[str | None, typer.Option("--context", help="The column with the context.")] = None,
    reference: Annotated[str | None, typer.Option("--reference", help="The column with a good answer.")] = None,
    id_: Annotated[str | None, typer.Option("--id", help="The column with the item's id.")] = None,
    group: Annotated[str | None, typer.Option("--group", help="The column that says which items go together.")] = None,
    author: Annotated[str | None, typer.Option("--author", help="The column with who wrote the answer.")] = None,
    add: Annotated[bool, typer.Option("--add", help="Only add FILE's items to the project that is there.")] = False,
    folder: Annotated[Path, typer.Option("--project", "-p", help="Where to set up the project.")] = Path(),
) -> None:
    """Set up a project from a file of answers: fiel.toml, a rubric, the items. Overwrites nothing."""
    from fiel.cli import _init

    columns = {
        "output": output,
        "input": input_,
        "context": context,
        "reference": reference,
        "id": id_,
        "group": group,
        "author": author,
    }
    do = _init.add if add else _init.run
    do(folder, file, rubric=rubric, language=language, columns=columns)


@app.command()
def judge(
    judge: JudgeName = None,
    folder: Folder = Path(),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say calls, tokens and cost; ask nothing.")] = False,
    max_calls: Annotated[int | None, typer.Option("--max-calls", min=0, help="Stop after so many calls.")] = None,
    max_cost: Annotated[float | None, typer.Option("--max-cost", min=0, help="Stop when they cost so much.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Run every judge on every item and keep what it says. Goes on where it stopped."""
    from fiel.cli import _judge

    _judge.run(folder, judge=judge, quiet=quiet, dry_run=dry_run, max_calls=max_calls, max_cost=max_cost)


@app.command()
def show(
    item: Annotated[str, typer.Argument(help="The id of an item.")],
    criterion: Annotated[str | None, typer.Option("--criterion", "-c", help="One criterion; default: all.")] = None,
    judge: JudgeName = None,
    folder: Folder = Path(),
) -> None:
    """Show how one judgement came about: prompt, raw reply, tokens, belief, checks."""
    from fiel.cli import _show

    _show.run(folder, item, criterion=criterion, judge=judge)


@app.command()
def validate(
    labels: Labels = None,
    judge: JudgeName = None,
    bar: Annotated[float, typer.Option("--bar", help="The agreement that a criterion must reach.")] = 0.85,
    confidence: Confidence = 0.95,
    format_: Annotated[Format, typer.Option("--format", help="What to print.")] = "text",
    folder: Folder = Path(),
) -> None:
    """Judge against people: agreement, and one word per criterion. Writes reports/report.html."""
    from fiel.cli import _measure

    _measure.validate(folder, labels, judge=judge, bar=bar, confidence=confidence, form=format_)


@app.command()
def estimate(
    labels: Labels = None,
    judge: JudgeName = None,
    criterion: Annotated[str | None, typer.Option("--criterion", "-c", help="One criterion; default: all.")] = None,
    confidence: Confidence = 0.95,
    format_: Annotated[Format, typer.Option("--format", help="What to print.")] = "text",
    folder: Folder = Path(),
) -> None:
    """Say the rate of each criterion, corrected for the judge's measured bias, with its interval."""
    from fiel.cli import _measure

    _measure.estimate(folder, labels, judge=judge, criterion=criterion, confidence=confidence, form=format_)


@app.command()
def gate(
    labels: Labels = None,
    format_: Annotated[GateFormat, typer.Option("--format", help="What to print.")] = "text",
    junit: Annotated[Path | None, typer.Option("--junit", help="Also write JUnit XML to this file.")] = None,
    folder: Folder = Path(),
) -> None:
    """Hold every gate of fiel.toml against the estimates. Exit: 0 pass, 1 fail, 2 usage, 3 undecided."""
    from fiel.cli import _measure

    code = _measure.gate(folder, labels, form=format_, junit=junit)
    if code != Code.DONE:
        raise typer.Exit(code)


def main() -> None:
    """The entry point of the command `fiel`."""
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(Code.STOPPED)
