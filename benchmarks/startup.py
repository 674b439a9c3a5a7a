"""What it costs to start: `fiel --help` beside a bare typer application, and what `import fiel` loads."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from _common import Row, arguments, paired, show

HEAVY = ("numpy", "scipy", "aiohttp", "sqlalchemy", "duckdb", "jinja2", "rich", "vl_convert", "jsonschema", "typer")
BARE = """
import typer
app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
{verbs}
app()
"""
VERB = '''
@app.command("{name}")
def verb_{number}() -> None:
    """Do nothing."""
'''


def verbs() -> list[str]:
    """The names of fiel's verbs, asked of fiel."""
    code = "import fiel.cli, typer; print(*typer.main.get_command(fiel.cli.app).commands)"
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()


def loaded_by(statement: str) -> set[str]:
    """Which of the heavy packages a statement loads."""
    code = f"{statement}; import sys; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(run.stdout.split())


def main() -> None:
    """Measure and print."""
    options = arguments(__doc__ or "")
    names = verbs()
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.py"
        bare.write_text(BARE.format(verbs="".join(VERB.format(name=n, number=i) for i, n in enumerate(names))))
        ours = [sys.executable, "-c", "from fiel.cli import main; main()", "--help"]
        value, peer, ratio = paired(ours, [sys.executable, str(bare), "--help"], runs=7 if options.quick else 25)
    rows = [
        Row(
            f"fiel --help, CPU seconds, beside bare typer with {len(names)} verbs",
            value,
            peer,
            ratio,
            "<= 1.2",
            ratio <= 1.2,
        )
    ]
    heavy = loaded_by("import fiel")
    rows.append(Row("heavy packages loaded by import fiel", len(heavy), None, None, "0", not heavy))
    show(rows, as_json=options.json)


if __name__ == "__main__":
    main()
