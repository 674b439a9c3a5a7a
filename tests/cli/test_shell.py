"""The command line in a real shell: closed pipes, full disks, odd encodings, names that act on terminals."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FIEL = f"{sys.executable} -m fiel"


def shell(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A line of bash with `pipefail`, in a folder."""
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command.replace("fiel ", f"{FIEL} ")],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path), **environment},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("verb", ["judge", "estimate labels.csv"])
def test_a_closed_pipe_is_no_verdict(project, verb):
    """When the reader goes away the code is that of a closed pipe, never 1, which means that a gate failed."""
    result = shell(f"fiel {verb} | true", project)
    assert result.returncode in {0, 141}, result.stderr
    assert "Traceback" not in result.stderr


def test_a_full_disk_is_no_bug(project):
    """A result that cannot be written stops with 4 and one line, not with a traceback."""
    result = shell("fiel estimate labels.csv > /dev/full", project)
    assert result.returncode == 4, result.stderr
    assert "No space left" in result.stderr
    assert "Traceback" not in result.stderr


def test_without_stderr_it_works_all_the_same(project):
    """With stderr closed, or on a full device, the run goes on in silence."""
    assert shell("fiel judge 2>&-", project).returncode == 0
    assert shell("fiel judge 2>/dev/full", project).returncode == 0


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_any_encoding_of_the_terminal_will_do(project, encoding):
    """Documents are UTF-8 to the byte, and text is shown as far as the encoding goes."""
    for form in ("text", "html"):
        result = shell(f"fiel validate labels.csv --format {form}", project, PYTHONIOENCODING=encoding)
        assert result.returncode == 0, result.stderr
        assert "grounded" in result.stdout


def test_names_that_act_on_a_terminal_are_shown_as_text(fiel, table, tmp_path):
    """Escapes and reordering marks in column names, file names, ids and TOML keys reach neither stdout nor stderr."""
    evil = "\x1b]0;PWNED\x07\u202e"
    table("a.csv", ("question", "answer", f"col{evil}"), [("q", "a", "x")])
    shown = fiel("init", "a.csv")
    assert shown.exit_code == 0
    outputs = [shown, fiel("init", "a.csv", "--output", f"no{evil}", "--project", "other")]
    config = tmp_path / "fiel.toml"
    config.write_text(config.read_text() + '\n[unk"nown]\n'.replace('"', ""))
    outputs.append(fiel("judge"))
    config.write_text(config.read_text().replace("[unknown]", "") + '\n["evil\\u001b]0;\\u202e"]\n')
    outputs.append(fiel("judge"))
    outputs.append(fiel("validate", f"missing{evil}.csv"))
    for result in outputs:
        assert "\x1b" not in result.output
        assert "\u202e" not in result.output


def test_messages_are_bounded(fiel, table, tmp_path):
    """A column name of 100,000 characters does not fill the screen."""
    table("a.csv", ("question", "x" * 100_000), [("q", "a")])
    result = fiel("init", "a.csv")
    assert result.exit_code == 2
    assert len(result.stderr) < 3000


def test_judges_of_different_rubrics_are_measured_together(fiel, project, table):
    """Two judges with rubrics of their own share one label file, and a gate on one does not ask for the other."""
    (project / "rubrics" / "short.toml").write_text(
        'id = "short"\n[[criteria]]\nid = "brief"\nquestion = "Is it brief?"\npassing = ["yes"]\n'
    )
    with (project / "fiel.toml").open("a") as file:
        file.write('\n[[judges]]\nname = "other"\nkind = "baseline"\nrubric = "short"\n')
        file.write('\n[[gates]]\nname = "g"\njudge = "floor"\ncriterion = "grounded"\nat_least = 0.05\n')
    assert fiel("gate", "labels.csv").exit_code == 0
    assert fiel("judge").exit_code == 0
    with (project / "labels.csv").open("a") as file:
        file.write("q0,brief,ana,yes\n")
    result = fiel("validate", "labels.csv", "--format", "json")
    assert result.exit_code == 0, result.stderr
    assert [v["judge"] for v in json.loads(result.stdout)["validations"]] == ["floor", "other"]
    wrong = fiel("validate", "labels.csv", "--judge", "floor", "--format", "json")
    assert wrong.exit_code == 0
