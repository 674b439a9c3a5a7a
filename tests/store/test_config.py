from __future__ import annotations

import re
from pathlib import Path

import pytest

from fiel.records import FielError
from fiel.store.config import Config, Price, StoreSection, load_config

DESIGN = Path(__file__).resolve().parents[3] / "shared" / "docs" / "design.md"

TINY = '[models.tiny]\nkind = "local"\ngguf = "models/tiny.gguf"'


def changed(root: Path, old: str, new: str) -> Path:
    """The project's fiel.toml with one text in place of another."""
    path = root / "fiel.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


def test_whole_file(root: Path):
    """What the file says is what the record holds, and what it leaves out has the documented defaults."""
    config = load_config(root / "fiel.toml")
    assert config.project.name == "support-bot"
    assert (config.project.items, config.project.labels, config.project.stakes) == (
        "items/*.jsonl",
        "labels/*.csv",
        "normal",
    )
    fast = config.models["fast"]
    assert (fast.kind, fast.price, fast.max_in_flight) == ("endpoint", Price(input=0.25, output=2.0), 16)
    assert config.models["tiny"].price is None
    house, floor = config.judges
    assert (house.kind, house.ask, house.samples, floor.model) == ("llm", "item", 1, None)
    (gate,) = config.gates
    assert (gate.rate, gate.confidence, gate.undecided, gate.max_unscored) == ("corrected", 0.95, "undecided", 0.10)
    assert config.store == StoreSection(judgements=".fiel/judgements.db", labels=".fiel/labels.db")


def test_smallest_file(tmp_path: Path):
    """A name is all that a project needs."""
    (tmp_path / "fiel.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    assert load_config(tmp_path / "fiel.toml").judges == ()


def test_design_example(tmp_path: Path):
    """The example of the design page is read as it stands there."""
    if not DESIGN.exists():
        pytest.skip("the design page is not beside this checkout")
    block = re.findall(r"```toml\n(.*?)```", DESIGN.read_text(encoding="utf-8"), re.DOTALL)[0]
    (tmp_path / "fiel.toml").write_text(block, encoding="utf-8")
    config = load_config(tmp_path / "fiel.toml")
    assert isinstance(config, Config)
    assert config.gates[0].undecided == "fail"


@pytest.mark.parametrize(
    ("old", "new", "what", "place", "fix"),
    [
        ('model = "fast"', 'modle = "fast"', "Unknown key 'modle'", "line 17, judges[0].modle", "mean 'model'"),
        ("[models.tiny]", "[model.tiny]", "Unknown key 'model'", "line 11, model", "mean 'models'"),
        ("input = 0.25", "inptu = 0.25", "Unknown key", "line 9, models.fast.price.inptu", "mean 'input'"),
        ('model = "fast"', 'model = "fats"', "'fats'", "line 17, judges[0].model", "mean 'fast'"),
        ('judge = "house"', 'judge = "hose"', "'hose'", "line 27, gates[0].judge", "mean 'house'"),
        ('name = "floor"', 'name = "house"', "Two of the judges", "line 21, judges[1].name", "Rename"),
        ('model = "fast"', "model = 3", "must be text", "line 17, judges[0].model", '"3"'),
        ('"baseline"', '"baselin"', "llm, baseline", "line 22, judges[1].kind", "mean 'baseline'"),
        ("at_least = 0.90", "at_least = 1", "the number 1", "line 29, gates[0].at_least", None),
        ("at_least = 0.90", "at_least = nan", "nan", "line 29, gates[0].at_least", None),
        ("at_least = 0.90", 'at_least = "0.9"', "must be a number, not text", "line 29, gates[0].at_least", None),
        ("at_least = 0.90", "", "'at_least' is missing", "line 25, gates[0]", "Add it"),
        ("at_least = 0.90", "at_least = 0.9\nconfidence = 0.4", "0.4", "line 30, gates[0].confidence", None),
        ("at_least = 0.90", 'at_least = 0.9\nrate = "transported"', "corrected, raw", "line 30, gates[0].rate", None),
        ('model = "fast"', 'model = "fast"\nsamples = 0', "the number 0", "line 18, judges[0].samples", None),
        ('model = "fast"', "", "names no model", "line 15, judges[0]", "model ="),
        ('kind = "baseline"', 'kind = "baseline"\nmodel = "fast"', "asks no model", "line 23, judges[1].model", "out"),
        ('base_url = "https://api.example.com/v1"', "", "needs 'base_url'", "line 5, models.fast", "Add"),
        ('gguf = "models/tiny.gguf"', "", "needs 'gguf'", "line 11, models.tiny", "Add"),
        ("https://api", "api", "http://", "line 6, models.fast.base_url", "Such as"),
        ('name = "support-bot"', "name = 2026-01-01", "a date", "line 2, project.name", None),
        ('name = "support-bot"', 'name = " "', "match", "line 2, project.name", None),
        (TINY, "[models]\ntiny = 3", "tiny must be a table", "line 12, models.tiny", None),
    ],
)
def test_mistakes(root: Path, old: str, new: str, what: str, place: str, fix: str | None):
    """Each mistake is told with the line, the key and, where one is known, the remedy."""
    with pytest.raises(FielError) as caught:
        load_config(changed(root, old, new))
    assert what in caught.value.what
    assert caught.value.where == f"{root / 'fiel.toml'}, {place}"
    assert (fix or "") in (caught.value.fix or "")
    assert len(str(caught.value).splitlines()) <= 3


@pytest.mark.parametrize("value", ["3", "true", "{ a = 1 }", "[]", "2026-01-01"])
@pytest.mark.parametrize(
    ("section", "key", "words"),
    [
        ("[project]", "stakes", "normal, high"),
        ("[models.tiny]", "kind", "endpoint, local, replay"),
        ("[[judges]]", "kind", "llm, baseline, imported"),
        ("[[judges]]", "ask", "item, criterion"),
        ("[[judges]]", "keys", "auto, letters, text"),
        ("[[judges]]", "reason", "before, after, none"),
        ("[[judges]]", "unsupported", "abstain, keep"),
        ("[[gates]]", "rate", "corrected, raw, agreement"),
        ("[[gates]]", "undecided", "undecided, fail, pass"),
    ],
)
def test_a_word_that_is_no_text(root: Path, section: str, key: str, words: str, value: str):
    """A key that takes one of a few words names them, whatever stands in their place."""
    if section == "[models.tiny]":
        changed(root, '\nkind = "local"', "")
    with pytest.raises(FielError) as caught:
        load_config(changed(root, section, f"{section}\n{key} = {value}"))
    assert f"{key} must be one of {words}, not " in caught.value.what
    assert (caught.value.where or "").endswith(f".{key}")
    assert "in quotes" in (caught.value.fix or "")


@pytest.mark.parametrize("confidence", ["0.49", "0.9999999", "1.0", "nan"])
def test_confidence_that_nothing_can_measure(root: Path, confidence: str):
    """A confidence that the measures refuse is refused with its line."""
    with pytest.raises(FielError, match="confidence") as caught:
        load_config(changed(root, "at_least = 0.90", f"at_least = 0.9\nconfidence = {confidence}"))
    assert (caught.value.where or "").endswith("line 30, gates[0].confidence")


@pytest.mark.parametrize(
    ("line", "key", "meant"),
    [
        ("at_least = 80", "at_least", "0.80"),
        ("at_least = 2", "at_least", "0.02"),
        ("at_least = 99.5", "at_least", "0.995"),
        ("at_least = 57", "at_least", "0.57"),
        ('at_least = "80%"', "at_least", "0.80"),
        ('at_least = "99,5 %"', "at_least", "0.995"),
        ("at_least = 0.9\nconfidence = 95", "confidence", "0.95"),
        ("at_least = 0.9\nmax_unscored = 10", "max_unscored", "0.10"),
    ],
)
def test_a_percentage_is_told_its_share(root: Path, line: str, key: str, meant: str):
    """A gate with a percentage is refused with the share that was meant, at the line of the key."""
    path = changed(root, "at_least = 0.90", line)
    with pytest.raises(FielError, match="percentage") as caught:
        load_config(path)
    assert caught.value.fix == f"Did you mean {meant}?"
    assert caught.value.where == f"{path}, line {29 + line.count(chr(10))}, gates[0].{key}"


@pytest.mark.parametrize(
    "line", ["at_least = 1.5", "at_least = 100", "at_least = 0.9\nconfidence = 5", "at_least = -80"]
)
def test_what_is_no_percentage_is_told_its_range(root: Path, line: str):
    """A number that no percentage explains is refused by its range alone."""
    with pytest.raises(FielError, match="expected") as caught:
        load_config(changed(root, "at_least = 0.90", line))
    assert caught.value.fix is None


def test_one_bracket_too_few(tmp_path: Path):
    """A table where a list of tables is wanted is told about its brackets."""
    (tmp_path / "fiel.toml").write_text("[project]\nname = 'x'\n[judges]\nname = 'y'\n", encoding="utf-8")
    with pytest.raises(FielError, match=r"\[\[judges\]\]") as caught:
        load_config(tmp_path / "fiel.toml")
    assert caught.value.where == f"{tmp_path / 'fiel.toml'}, line 3, judges"


def test_toml_error_has_its_line(root: Path):
    """A syntax error names file, line and column."""
    with pytest.raises(FielError, match=r"Not TOML") as caught:
        load_config(changed(root, "[models.fast]", "[models.fast"))
    assert caught.value.where == f"{root / 'fiel.toml'}, line 5, column 13"


def test_toml_error_at_the_end(root: Path):
    """A syntax error that shows at the end of the file names the last line."""
    with pytest.raises(FielError, match="Not TOML") as caught:
        load_config(changed(root, "at_least = 0.90\n", "at_least = [1,\n"))
    assert caught.value.where == f"{root / 'fiel.toml'}, line 29"


def test_not_utf8(root: Path):
    """A file in another encoding is refused with the position."""
    (root / "fiel.toml").write_bytes("[project]\nname = 'café'\n".encode("latin-1"))
    with pytest.raises(FielError, match=r"not UTF-8"):
        load_config(root / "fiel.toml")


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('api_key_env = "JUDGE_API_KEY"', 'api_key = "sk-verysecret"', "api_key"),
        ('api_key_env = "JUDGE_API_KEY"', 'token = "sk-verysecret"', "token"),
        ('api_key_env = "JUDGE_API_KEY"', 'headers = { Authorization = "sk-verysecret" }', "Authorization"),
        ('api_key_env = "JUDGE_API_KEY"', 'api_key_env = "sk-verysecret"', "api_key_env"),
        ('api_key_env = "JUDGE_API_KEY"', 'api_key_env = "verysecret0123"', "api_key_env"),
        ('api_key_env = "JUDGE_API_KEY"', 'api_key_env = "AKIAVERYSECRET012345"', "api_key_env"),
        ("https://api", "https://me:verysecret@api", "base_url"),
        ("/v1", "/v1?api_key=verysecret", "base_url"),
        ("[[judges]]", '[store]\njudgements = "postgresql://me:verysecret@host/db"\n[[judges]]', "judgements"),
        ('name = "support-bot"', 'name = "support-bot"\nkey = "verysecret"', "key"),
    ],
)
def test_secrets_are_refused_unseen(root: Path, old: str, new: str, key: str):
    """A secret is refused with the key that holds it, and never repeated, not even by the chain of causes."""
    with pytest.raises(FielError) as caught:
        load_config(changed(root, old, new))
    assert (caught.value.where or "").endswith(key)
    error: BaseException | None = caught.value
    while error is not None:
        assert "verysecret" not in str(error).lower()
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def test_one_database_for_both_is_refused(root: Path):
    """Labels and judgements cannot share a database."""
    with pytest.raises(FielError, match="one database"):
        load_config(changed(root, "[[judges]]", '[store]\nlabels = ".fiel/judgements.db"\n[[judges]]'))


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ('kind = "imported"', "needs content"),
        ('kind = "imported"\nmodel = "fast"\ncontent = "c"', "asks no model"),
        ('kind = "baseline"\ncontent = "c"', "has no content"),
    ],
)
def test_an_imported_judge_has_content_and_no_model(root: Path, entry: str, fault: str):
    """Content belongs to an imported judge and to no other."""
    path = changed(root, 'kind = "baseline"', entry)
    with pytest.raises(FielError, match=fault):
        load_config(path)
