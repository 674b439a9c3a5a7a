"""The verbs and their options. Each verb loads what it needs when it runs, so that `fiel --help` stays quick.

Annotations are no strings here: typer would have to evaluate each of them at every start.
"""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from fiel.cli._exits import Code, Verbs
from fiel.cli._options import (
    Allocation,
    Confidence,
    Folder,
    Format,
    GateFormat,
    Gold,
    JudgeName,
    Labels,
    Language,
    Measure,
    Origin,
    Preferences,
    SampleName,
    Slices,
    Unblind,
    Who,
)

app = typer.Typer(
    cls=Verbs,
    help="Check your language-model judge: does it agree with people, and what are its figures worth?",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
    rubric: Annotated[
        str, typer.Option("--rubric", help="Which of the shipped rubrics: rag, summary, support.")
    ] = "rag",
    language: Annotated[Language, typer.Option("--language", help="The language of the rubric.")] = "en",
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


@app.command("import")
def import_(
    source: Annotated[
        Path | None, typer.Argument(help="A folder with items.*, human.*, judge.* and perhaps dataset.json.")
    ] = None,
    items: Annotated[Path | None, typer.Option("--items", help="One item a row: CSV, TSV, JSONL, Parquet.")] = None,
    human: Annotated[Path | None, typer.Option("--human", help="One answer of a person a row.")] = None,
    judge: Annotated[Path | None, typer.Option("--judge", help="One verdict of a judge a row.")] = None,
    rubric: Annotated[
        Path | None, typer.Option("--rubric", help="A rubric file. Default: made from the tables.")
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", help="What to call it. Default: as dataset.json says, else as the folder is called."),
    ] = None,
    options: Annotated[str | None, typer.Option("--options", help='All answers, worst first: "1,2,3,4,5".')] = None,
    scale: Annotated[
        Measure | None, typer.Option("--scale", help="The scale of the answers. Default: a guess, which is said.")
    ] = None,
    levels: Annotated[
        str | None, typer.Option("--levels", help="Round measured numbers to the nearest of these: 0,0.25,0.5,0.75,1.")
    ] = None,
    not_applicable: Annotated[
        list[str] | None,
        typer.Option(
            "--not-applicable", metavar="VALUE", help='A value that means "not applicable", such as 0; once for each.'
        ),
    ] = None,
    probs_from: Annotated[
        Origin, typer.Option("--probs-from", help="Where the judges' probabilities come from.")
    ] = "stated",
    repeat: Annotated[
        str | None, typer.Option("--repeat", help="The column that numbers a rater's passes; the first counts.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Put it in the place of an earlier import.")] = False,
    folder: Annotated[Path, typer.Option("--project", "-p", help="Where the project is, or is set up.")] = Path(),
) -> None:
    """Bring in answers of people and verdicts of judges from tidy tables: a project, ready for fiel validate."""
    from fiel.cli import _import

    how = _import.How(
        name=name,
        options=options,
        scale=scale,
        levels=levels,
        not_applicable=tuple(not_applicable or ()),
        probs_from=probs_from,
        repeat=repeat,
    )
    _import.run(folder, _import.Files(source, items, human, judge, rubric), how, replace=replace)


@app.command()
def judge(
    judge: JudgeName = None,
    folder: Folder = Path(),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say calls, tokens and cost; ask nothing.")] = False,
    max_calls: Annotated[int | None, typer.Option("--max-calls", min=0, help="Stop after so many calls.")] = None,
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", min=0, help="Stop before they cost more, in the unit of price in fiel.toml."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Run every judge on every item and keep what it says. Goes on where it stopped."""
    from fiel.cli import _judge

    _judge.run(folder, judge=judge, quiet=quiet, dry_run=dry_run, max_calls=max_calls, max_cost=max_cost)


@app.command()
def show(
    item: Annotated[str, typer.Argument(help="The id of an item.")],
    criterion: Annotated[str | None, typer.Option("--criterion", "-c", help="One criterion. Default: all.")] = None,
    judge: JudgeName = None,
    unblind: Unblind = False,
    who: Who = None,
    folder: Folder = Path(),
) -> None:
    """Show how one judgement came about: prompt, raw reply, tokens, belief, checks."""
    from fiel.cli import _show

    _show.run(folder, item, criterion=criterion, judge=judge, unblind=unblind, who=who)


@app.command()
def draw(
    name: Annotated[str | None, typer.Argument(help="Of the sample. Default: first.")] = None,
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="How many items; with --top-up, how many more.")] = 60,
    by: Annotated[
        str | None,
        typer.Option(
            "--by", help="belief, random, verdict, uncertainty, or a field. Default: belief, without a judge random."
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option("--judge", "-j", help="Whose beliefs to draw by. Default: the first judge that has any."),
    ] = None,
    criterion: Annotated[
        str | None,
        typer.Option("--criterion", "-c", help="Draw by the beliefs on this one. Default: of each item the worst."),
    ] = None,
    allocation: Annotated[Allocation, typer.Option("--allocation", help="How many of each stratum.")] = "equal",
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="The same seed, the same sample. Default: 0.")
    ] = None,
    reason: Annotated[
        str | None, typer.Option("--reason", help="Why so many, in words: it stands in the design.")
    ] = None,
    top_up: Annotated[bool, typer.Option("--top-up", help="Draw more into the sample: a declared stage.")] = False,
    folder: Folder = Path(),
) -> None:
    """Draw the items to label, with known chances, from clear miss to clear hit. Writes samples/NAME.json."""
    from fiel.cli import _draw

    how = _draw.How(n=n, by=by, judge=judge, criterion=criterion, allocation=allocation, seed=seed, reason=reason)
    (_draw.top_up if top_up else _draw.run)(folder, name, how)


@app.command()
def label(
    name: SampleName = None,
    rater: Annotated[
        list[str] | None, typer.Option("--rater", metavar="NAME", help="Who labels, by name; once for each.")
    ] = None,
    adjudicator: Annotated[str | None, typer.Option("--adjudicator", help="Who decides what raters split on.")] = None,
    per_item: Annotated[
        int | None, typer.Option("--per-item", min=1, help="How many raters answer each item. Default: all.")
    ] = None,
    repeats: Annotated[
        float | None, typer.Option("--repeats", min=0, max=1, help="Share of hidden repeats. Default: 0.05.")
    ] = None,
    show_: Annotated[
        list[str] | None, typer.Option("--show", metavar="PART", help="A part or field that raters see; once for each.")
    ] = None,
    host: Annotated[str, typer.Option("--host", help="The address to serve at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 for any that is free.")] = 8765,
    new_link: Annotated[
        list[str] | None, typer.Option("--new-link", metavar="NAME", help="Whose link to replace; once for each.")
    ] = None,
    status: Annotated[
        bool, typer.Option("--status", help="Say who has done how much and what waits; never an answer.")
    ] = False,
    close: Annotated[bool, typer.Option("--close", help="Take no more answers, for good; say what is there.")] = False,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Close it although answers or decisions are missing.")
    ] = False,
    folder: Folder = Path(),
) -> None:
    """Serve the blind labelling pages, one secret link for each rater. Ctrl-C stops them."""
    from fiel.cli import _label

    wish = _label.Wish(
        raters=tuple(rater or ()), adjudicator=adjudicator, per_item=per_item, repeats=repeats, show=tuple(show_ or ())
    )
    new_links = tuple(new_link or ())
    _label.check_options(wish, new_links, close=close, status=status, anyway=anyway)
    if status:
        _label.status(folder, name)
    elif close:
        _label.close(folder, name, anyway=anyway)
    else:
        _label.run(folder, name, wish, host=host, port=port, new_links=new_links)


@app.command()
def freeze(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Of the sample, or of the set to revise. Default: the only one; with --labels, as the file is called."
        ),
    ] = None,
    close: Annotated[bool, typer.Option("--close", help="Close the study first.")] = False,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Close it although answers or decisions are missing.")
    ] = False,
    decisions: Annotated[
        Path | None, typer.Option("--decisions", help="A work list, filled in: it makes the set's next version.")
    ] = None,
    called: Annotated[str | None, typer.Option("--as", help="Of the next version. Default: NAME-2, -3, ...")] = None,
    by: Annotated[str | None, typer.Option("--by", help="Who decided, where the work list does not say.")] = None,
    preference: Preferences = None,
    labels: Annotated[
        Path | None,
        typer.Option("--labels", help="Freeze this label file instead; fiel.toml for those that it names."),
    ] = None,
    judge: Annotated[
        str | None, typer.Option("--judge", "-j", help="Whose rubric these labels answer, where there are several.")
    ] = None,
    folder: Folder = Path(),
) -> None:
    """Make the calibration set of a closed study, or of label files, never to change; or a set's next version."""
    from fiel.cli import _freeze, _plain, _revise

    liked = tuple(preference or ())
    _freeze.check_options(
        close=close,
        anyway=anyway,
        labels=labels,
        judge=judge,
        decisions=decisions,
        called=called,
        by=by,
        preferences=liked,
    )
    if decisions is not None:
        _revise.run(folder, name, decisions, called=called, by=by, preferences=liked)
    elif labels is not None:
        _plain.run(folder, name, labels, judge=judge)
    else:
        _freeze.run(folder, name, close=close, anyway=anyway)


@app.command()
def validate(
    labels: Labels = None,
    judge: JudgeName = None,
    bar: Annotated[float, typer.Option("--bar", help="The agreement that a criterion must reach, a share.")] = 0.85,
    confidence: Confidence = 0.95,
    slices: Slices = None,
    epsilon: Annotated[
        float,
        typer.Option("--epsilon", min=0, max=1, help="The share that the alternative annotator test grants the judge."),
    ] = 0.2,
    preference: Preferences = None,
    fewest: Annotated[
        int, typer.Option("--fewest", min=1, help="Items of the rarer class without which the word is not use.")
    ] = 5,
    worklist: Annotated[
        Path | None, typer.Option("--worklist", help="Write what to look at again to this file: .csv or .jsonl.")
    ] = None,
    agreements: Annotated[
        float,
        typer.Option(
            "--agreements", min=0, max=1, help="The share of the agreements that is drawn into the work list."
        ),
    ] = 0.1,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of that draw: the same seed, the same list.")] = 0,
    replace: Annotated[bool, typer.Option("--replace", help="Put the work list in another one's place.")] = False,
    format_: Annotated[Format, typer.Option("--format", help="What to print.")] = "text",
    unblind: Unblind = False,
    who: Who = None,
    folder: Folder = Path(),
) -> None:
    """Judge against people: agreement, and one word per criterion. Writes reports/report.html."""
    from fiel.cli import _measure, _worklist

    ask = _measure.Ask(bar, confidence, epsilon, fewest, tuple(slices or ()), tuple(preference or ()))
    listing = _worklist.Listing(worklist, agreements, seed, replace) if worklist is not None else None
    _measure.validate(folder, labels, ask, judge=judge, form=format_, listing=listing, unblind=unblind, who=who)


@app.command()
def estimate(
    labels: Labels = None,
    judge: JudgeName = None,
    criterion: Annotated[str | None, typer.Option("--criterion", "-c", help="One criterion. Default: all.")] = None,
    confidence: Confidence = 0.95,
    slices: Slices = None,
    gold: Annotated[
        Gold, typer.Option("--gold", help="What most raters say, or the share of raters who let an item pass.")
    ] = "majority",
    as_random: Annotated[
        bool, typer.Option("--as-random", help="Read items that were picked at convenience as a random draw.")
    ] = False,
    systems: Annotated[
        tuple[str, str] | None,
        typer.Option("--systems", metavar="A B", help="Two systems that answered the same questions."),
    ] = None,
    by: Annotated[str | None, typer.Option("--by", help="The field that names the system. Default: author.")] = None,
    key: Annotated[
        str | None,
        typer.Option(
            "--key", help="The field that two answers to one question share: group, input, ... Default: group."
        ),
    ] = None,
    preference: Preferences = None,
    format_: Annotated[Format, typer.Option("--format", help="What to print.")] = "text",
    folder: Folder = Path(),
) -> None:
    """Say the rate of each criterion, corrected for the judge's measured bias, with its interval."""
    from fiel.cli import _measure

    rated = _measure.Rated(confidence, gold, as_random, tuple(slices or ()), systems, by, key, tuple(preference or ()))
    _measure.estimate(folder, labels, rated, judge=judge, criterion=criterion, form=format_)


@app.command()
def gate(
    labels: Labels = None,
    format_: Annotated[GateFormat, typer.Option("--format", help="What to print.")] = "text",
    junit: Annotated[Path | None, typer.Option("--junit", help="Also write JUnit XML to this file.")] = None,
    preference: Preferences = None,
    folder: Folder = Path(),
) -> None:
    """Hold every gate of fiel.toml against the estimates. Exit: 0 pass, 1 fail, 2 usage, 3 undecided."""
    from fiel.cli import _measure

    code = _measure.gate(folder, labels, form=format_, junit=junit, preferences=tuple(preference or ()))
    if code != Code.DONE:
        raise typer.Exit(code)


@app.command()
def plan(
    labels: Labels = None,
    kind: Annotated[
        Literal["rate width", "rate bar", "kappa width", "kappa power", "ceiling power", "equivalence"],
        typer.Option("--for", help="What the labels are to show."),
    ] = "rate width",
    criterion: Annotated[
        str | None,
        typer.Option("--criterion", "-c", help="Plan from what is known of it. Default: from --expect, and guesses."),
    ] = None,
    judge: JudgeName = None,
    width: Annotated[
        float, typer.Option("--width", help="The widest interval wanted, from end to end, a share.")
    ] = 0.1,
    bar: Annotated[float, typer.Option("--bar", help="The rate to be cleared, a share.")] = 0.85,
    margin: Annotated[float, typer.Option("--margin", help="The difference that is still equivalence, a share.")] = 0.1,
    power: Annotated[float, typer.Option("--power", help="The chance of showing it, a share.")] = 0.8,
    confidence: Confidence = 0.95,
    expect: Annotated[
        list[str] | None,
        typer.Option("--expect", metavar="NAME=NUMBER", help="What is known better, such as rate=0.9; once for each."),
    ] = None,
    preference: Preferences = None,
    format_: Annotated[Literal["text", "json"], typer.Option("--format", help="What to print.")] = "text",
    folder: Folder = Path(),
) -> None:
    """Say how many labels it takes: for an interval, a bar, a kappa, the human ceiling, equivalence."""
    from fiel.cli import _plan

    wish = {"width": width, "bar": bar, "margin": margin, "power": power, "confidence": confidence}
    _plan.run(
        folder,
        labels,
        kind=kind,
        judge=judge,
        criterion=criterion,
        expected=expect or [],
        preferences=tuple(preference or ()),
        form=format_,
        wish=wish,
    )


def main() -> None:
    """The entry point of the command `fiel`."""
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(Code.STOPPED)
