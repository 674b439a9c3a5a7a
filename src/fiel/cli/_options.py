"""Arguments and options that several verbs have, and the words that an option admits. Knows no verb.

They are objects and no strings: typer would have to evaluate each of them at every start.
"""

from pathlib import Path
from typing import Annotated, Literal

import typer

Format = Literal["text", "json", "html", "md"]
GateFormat = Literal["text", "json", "md", "junit"]
Allocation = Literal["equal", "proportional", "optimal"]
Gold = Literal["majority", "soft"]
Language = Literal["en", "es"]
Measure = Literal["nominal", "ordinal", "interval"]
Origin = Literal["logprobs", "samples", "stated"]
Folder = Annotated[Path, typer.Option("--project", "-p", help="The project's folder, or one inside it.")]
Labels = Annotated[
    Path | None,
    typer.Argument(help="A label file, or a frozen set by its name. Default: labels in fiel.toml, else the one set."),
]
SampleName = Annotated[str | None, typer.Argument(help="Of the sample. Default: the only one there is.")]
Unblind = Annotated[
    bool, typer.Option("--unblind", help="Look although a study is open. It is written down, with who and when.")
]
Who = Annotated[str | None, typer.Option("--as", help="Who looks. Default: $FIEL_USER, else the user of this machine.")]
JudgeName = Annotated[str | None, typer.Option("--judge", "-j", help="One judge of fiel.toml. Default: all.")]
Preferences = Annotated[
    list[str] | None,
    typer.Option(
        "--preference", metavar="RATER", help="A rater whose labels are user preferences, never gold; once for each."
    ),
]
Slices = Annotated[
    list[str] | None,
    typer.Option("--slice", metavar="FIELD", help="A field of the items to look at figures by; once for each."),
]
Confidence = Annotated[float, typer.Option("--confidence", help="How sure to be: a share from 0.5 to 0.999999.")]
