from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise

import msgspec
import pytest

from fiel.reports import to_html, to_json
from fiel.stats import Estimate

VOID = {"meta", "wbr", "link", "br", "hr", "img", "input", "path", "circle", "line", "rect", "use"}


class Node:
    """An element with its attributes, its children and the text in it."""

    def __init__(self, tag: str, attributes: dict[str, str | None]) -> None:
        self.tag, self.attributes, self.children, self.texts = tag, attributes, [], []

    def walk(self):
        """This element and all below it, in the order of the page."""
        yield self
        for child in self.children:
            yield from child.walk()

    def all(self, *tags: str) -> list[Node]:
        """The elements of these names below."""
        return [node for node in self.walk() if node.tag in tags]

    @property
    def text(self) -> str:
        """What a reader sees, on one line."""
        return " ".join("".join(node if isinstance(node, str) else node.text for node in self.texts).split())

    @property
    def classes(self) -> list[str]:
        """The names of its class attribute."""
        return (self.attributes.get("class") or "").split()


class Reader(HTMLParser):
    """A page as a tree, as far as a test needs it; anything unbalanced is an error."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Node("", {})
        self.open = [self.root]

    def handle_starttag(self, tag, attrs):
        node = Node(tag, dict(attrs))
        assert len(attrs) == len(dict(attrs)), f"{tag} has an attribute twice"
        self.open[-1].children.append(node)
        self.open[-1].texts.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag, attrs):
        self.open[-1].children.append(Node(tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop().tag == tag, f"</{tag}> closes something else"

    def handle_data(self, data):
        self.open[-1].texts.append(data)


def tree(page: str) -> Node:
    """The page as a tree."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == [reader.root]
    return reader.root


def by_id(root: Node, name: str) -> Node:
    """The element with that id."""
    return next(node for node in root.walk() if node.attributes.get("id") == name)


def test_the_first_screen_answers_in_order(page):
    """The headline is the first heading, what is simulated follows, then the table of criteria."""
    nodes = [node for node in tree(page).walk() if node.tag in {"h1", "table"} or "aside" in node.classes]
    assert nodes[0].text == "One of four criteria may move decisions: grounded."
    assert nodes[1].text == "The two raters of this demo are simulated."
    assert nodes[2].attributes["id"] == "summary"


def test_every_number_of_the_summary_is_the_one_in_the_json(report, page):
    """Each cell shows value, interval and n of its estimate in the JSON, or why there is none."""
    plain = json.loads(to_json(report))
    rates = {rate["criterion"]: rate["estimate"] for rate in plain["rates"]}
    rows = by_id(tree(page), "summary").all("tbody")[0].all("tr")
    assert len(rows) == len(plain["validations"][0]["criteria"]) == 4
    for row, part in zip(rows, plain["validations"][0]["criteria"], strict=True):
        cells = [cell.text for cell in row.all("th", "td")]
        said = {"use": "may move decisions", "leave out": "this judge cannot answer it"}
        said |= {
            "rewrite": "mend the question, then check again",
            "not enough labels": "cannot tell yet: about 45 more",
        }
        expected = [part["criterion"], f"{part['word']} {said[part['word']]}", shown(part["agreement"], "")]
        expected += [shown(part["ceiling"], "one rater")]
        expected += [shown(rates.get(part["criterion"]), "no rate asked for")]
        assert cells == expected


def test_every_number_of_a_criterion_is_the_one_in_the_json(report, page):
    """The figures, the confusion matrix and the gates are those of the JSON too."""
    plain, root = json.loads(to_json(report)), tree(page)
    tables = [node for node in root.all("table") if "values" in node.classes]
    rates = {rate["criterion"]: rate for rate in plain["rates"]}
    for table, part in zip(tables, plain["validations"][0]["criteria"], strict=True):
        rows = {row.all("th")[0].text: [td.text for td in row.all("td")] for row in table.all("tbody")[0].all("tr")}
        rate = rates.get(part["criterion"], {"estimate": None, "raw": None, "classical": None})
        named = {
            "judge with people": part["agreement"],
            "people with people": part["ceiling"],
            "agreement, judge minus people": part["difference"],
            "kappa": part["kappa"],
            "corrected pass rate": rate["estimate"],
            "judge alone": rate["raw"],
            "labels alone": rate["classical"],
        }
        for name, estimate in named.items():
            if estimate and estimate["value"] is not None:
                value, limits, n, method = rows[name]
                assert method == estimate["method"]
                sign = "+" if name.startswith("agreement, judge") and estimate["value"] > 0 else ""
                assert f"{value} {limits} n={n}" == sign + shown(estimate, "")
            elif estimate:
                assert rows[name] == [shown(estimate, "")]
    matrices = [node for node in root.all("table") if "matrix" in node.classes]
    for table, part in zip(matrices, plain["validations"][0]["criteria"], strict=True):
        counts = [[int(td.text.replace(",", "")) for td in row.all("td")] for row in table.all("tbody")[0].all("tr")]
        assert counts == part["confusion"]


def test_every_gate_is_shown_with_its_figures(report, page):
    """Name, verdict, estimate, method, bar and confidence of each gate, and the evidence of one that fails."""
    section = next(node for node in tree(page).all("section") if node.attributes["aria-labelledby"] == "gates")
    rows = [[cell.text for cell in row.all("th", "td")] for row in section.all("tbody")[0].all("tr")]
    figures = ["0.74 [0.68, 0.80] n=198", "prediction-powered, t", "0.85", "<0.01"]
    assert rows[1] == ["complete", "fail, sure", "complete house", *figures]
    assert rows[2][1] == "undecided"
    assert rows[2][5:] == ["0.875", "0.71"]
    assert "Look at q-0031, q-0512" in section.text
    assert "q-0512: no date is given" in section.text


def shown(estimate: dict | None, absent: str) -> str:
    """An estimate of the JSON, written from its numbers."""
    if estimate is None:
        return absent
    if estimate["value"] is None:
        return f"undefined: {estimate['reason']}"
    value, low, high = (f"{estimate[name]:.2f}".replace("-", "−") for name in ("value", "low", "high"))
    return f"{value} [{low}, {high}] n={estimate['n']:,}"


def test_the_file_asks_for_nothing(page):
    """No script, no address outside the file, no style or image from elsewhere, and a policy that forbids them."""
    root = tree(page)
    assert not root.all("script", "img", "link", "iframe", "object", "embed", "form", "base", "foreignobject", "use")
    policy = next(node for node in root.all("meta") if node.attributes.get("http-equiv") == "Content-Security-Policy")
    assert policy.attributes["content"] == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    for node in root.walk():
        for name, value in node.attributes.items():
            assert not name.startswith("on")
            if name in {"href", "src", "xlink:href", "action"}:
                assert value.startswith("#")
            elif not name.startswith("xmlns"):
                assert "://" not in (value or "")
    assert "url(" not in page
    assert "@import" not in page


@pytest.fixture(scope="module")
def poisoned(hostile) -> str:
    """The report of hostile texts as HTML."""
    return to_html(hostile)


def test_hostile_texts_add_nothing_to_the_page(page, poisoned):
    """With hostile texts everywhere, the page has the same elements with the same attributes; only texts differ."""
    assert skeleton(tree(poisoned)) == skeleton(tree(page))
    assert "{{7*7}}{% raw %}" in poisoned
    for character in "\x1b\x07\x00\u202e\u2066\ud800":
        assert character not in poisoned
    assert "⟨U+202E⟩evil" in poisoned


def skeleton(root: Node) -> list[tuple[str, tuple[str, ...]]]:
    """Names of elements and attributes in order, without the pictures' paths and texts and without emphasis."""
    return [
        (node.tag, tuple(node.attributes))
        for node in root.walk()
        if node.tag not in {"text", "path", "g", "line", "em", "wbr", "defs", "clippath", "rect"}
    ]


def test_hostile_texts_add_nothing_to_a_whole_page(full_page, hostile_page):
    """So it is with everything that a report can hold: cards, prompts, cases, quotes, raters, the blind log."""
    assert elements(tree(hostile_page)) == elements(tree(full_page))
    for character in "\x1b\x07\x00\u202e\u2066\ud800":
        assert character not in hostile_page


def elements(root: Node) -> Counter[tuple[str, tuple[str, ...]]]:
    """How often each element stands on the page, with the names of its attributes; emphasis and pictures aside."""
    return Counter(skeleton(root))


def test_hostile_names_stay_text_in_the_charts(poisoned, hostile_page):
    """A picture draws hostile names as text: its elements are the few that charts need."""
    pictures = [*tree(poisoned).all("figure"), *tree(hostile_page).all("figure")]
    tags = {node.tag for picture in pictures for svg in picture.all("svg") for node in svg.walk()}
    assert tags <= {"svg", "g", "path", "line", "text", "rect"}


def test_every_link_has_its_target(page, spanish):
    """Each term leads to the glossary, each criterion to its section, and no id is there twice."""
    for text in (page, to_html(spanish)):
        root = tree(text)
        ids = [node.attributes["id"] for node in root.walk() if "id" in node.attributes]
        assert len(ids) == len(set(ids))
        links = {node.attributes["href"].removeprefix("#") for node in root.all("a")}
        labelled = {node.attributes["aria-labelledby"] for node in root.all("section")}
        assert links | labelled <= set(ids)
        assert any(link.startswith("term-") for link in links)


def test_headings_are_in_order(page):
    """One first heading, and none skips a level."""
    levels = [int(node.tag[1]) for node in tree(page).all("h1", "h2", "h3", "h4")]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_tables_can_be_read_aloud(page):
    """Every table has a caption that comes first, and every header cell says what it heads."""
    tables = tree(page).all("table")
    assert tables
    for table in tables:
        assert table.children[0].tag == "caption"
        assert table.children[0].text
        assert all(cell.attributes.get("scope") in {"col", "row"} for cell in table.all("th"))


def test_pictures_have_a_name_and_a_table(page):
    """Each chart is one image with a name, and the table behind "show as table" repeats its numbers."""
    root = tree(page)
    for figure in root.all("figure"):
        for svg in figure.all("svg"):
            assert svg.attributes["role"] == "img"
            assert "dots with their intervals" in svg.attributes["aria-label"]
    summaries = [node.text for node in root.all("summary")]
    assert summaries.count("show as table") == len(root.all("figure")) == 3
    wide = root.all("figure")[0].all("div")[0]
    drawn = {node.text for node in wide.all("text")}
    table = next(node for node in root.all("details") if node.all("summary")[0].text == "show as table")
    assert {"0.93 [0.89, 0.96]", "0.91 [0.86, 0.94]"} <= drawn & {cell.text for cell in table.all("td")}


def test_languages_are_declared(page, spanish):
    """The page is English; texts of the project carry their own language and find their own direction."""
    root = tree(to_html(spanish))
    assert root.all("html")[0].attributes["lang"] == "en"
    question = next(node for node in root.all("p") if "question" in node.classes)
    assert (question.attributes["lang"], question.attributes["dir"]) == ("es", "auto")
    assert question.text == "¿Está cada afirmación de la RESPUESTA respaldada por el CONTEXTO?"
    assert {node.attributes["lang"] for node in tree(page).all("p") if "lang" in node.attributes} == {"en"}


def test_disagreements_can_be_read(report, page):
    """Behind a fold stand question, answer, each rater, each judge with its reason; a long text says what it leaves."""
    case = next(node for node in tree(page).all("details") if node.text.startswith("q-0412 "))
    assert case.all("summary")[0].text == "q-0412 people no, judge yes, probability >0.99 · looks like: judge error"
    assert [(term.text, told.text) for term, told in zip(case.all("dt"), case.all("dd"), strict=True)][2:4] == [
        ("ana", "no"),
        ("luis", "no"),
    ]
    assert "When does the warranty of the Nord 300 end?" in case.text
    assert "The three years stand in the context." in case.text
    left = len(report.cases[0].answer) - 600
    assert f"… ({left} more characters)" in case.text


def test_what_a_judge_quotes_is_marked_in_the_text(report, page):
    """The fragment is marked where it stands; one that stands nowhere is called so."""
    first, second = (
        next(node for node in tree(page).all("details") if node.text.startswith(name)) for name in ("q-0412", "q-0077")
    )
    assert [node.text for node in first.all("mark")] == ["three years"]
    assert "quotes “three years”" in first.text
    assert not second.all("mark")
    assert "quotes, though it is not in the text: “sin precio”" in second.text
    assert report.cases[0].answer[19:30] == "three years"


def test_several_judges_share_a_criterion(spanish):
    """Two judges on one criterion: a column that names them, one section each, and one group in the chart."""
    root = tree(to_html(spanish))
    assert by_id(root, "summary").all("th")[1].text == "judge"
    section = next(node for node in root.all("section") if node.all("h2")[0].text == "fundamentada")
    assert [node.text for node in section.all("h3")] == ["house use", "pequeño rewrite"]
    assert section.text.count("¿Está cada afirmación") == 1
    drawn = [node.text for node in root.all("figure")[0].all("div")[0].all("text")]
    assert drawn.count("people with people") == 1
    assert {"house", "pequeño"} <= set(drawn)


@pytest.mark.parametrize("left", ["validations", "rates", "decisions", "everything"])
def test_a_report_of_parts_is_a_page_too(report, left):
    """Without labels, without rates, without gates or with nothing at all there is still a page that says so."""
    names = ("validations", "rates", "decisions") if left == "everything" else (left,)
    root = tree(to_html(msgspec.structs.replace(report, simulated=None, **dict.fromkeys(names, ()))))
    assert root.all("h1")[0].text
    titles = {node.attributes["id"] for node in root.all("h2")}
    assert ("gates" in titles) == ("decisions" not in names)
    assert ("rates" in titles) == ("rates" not in names)
    assert ("agreement" in titles) == ("validations" not in names)


LIGHT, DARK = 0, 1


def palettes() -> list[dict[str, str]]:
    """The colours of both modes, by their names in the style sheet."""
    from importlib import resources  # noqa: PLC0415  the tests of contrast alone read the style sheet

    css = resources.files("fiel.reports").joinpath("templates/report.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root \{(.*?)\}", css, flags=re.DOTALL)
    return [dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6});", block)) for block in blocks]


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, WCAG 2.2."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("mode", [LIGHT, DARK])
@pytest.mark.parametrize(("name", "least"), [("ink", 7), ("quiet", 4.5), ("people", 3), ("judge", 3)])
def test_contrast_suffices(mode, name, least):
    """Body text reaches 7:1, small text 4.5:1, and what is drawn 3:1, on the page and on the wash, in both modes."""
    colours = palettes()[mode]
    assert contrast(colours[name], colours["page"]) >= least
    assert contrast(colours[name], colours["wash"]) >= least


def test_contrast_is_counted_as_wcag_does():
    """Black on white is 21:1, and #767676 is the lightest grey that passes on white."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


def test_a_report_of_rates_is_about_rates(report):
    """Without validations the headline and the table speak of rates, none of agreement, and gates come once."""
    page = to_html(msgspec.structs.replace(report, validations=()))
    root = tree(page)
    assert root.all("h1")[0].text.startswith("Corrected rates of three criteria: grounded 0.71, complete 0.74,")
    heads = [cell.text for cell in by_id(root, "summary").all("thead")[0].all("th")]
    assert heads == ["criterion", "corrected pass rate", "judge alone", "labels alone"]
    row = [cell.text for cell in by_id(root, "summary").all("tbody")[0].all("tr")[0].all("th", "td")]
    assert row == ["grounded", "0.71 [0.67, 0.75] n=196", "0.74 [0.72, 0.77] n=1,200", "0.69 [0.62, 0.75] n=196"]
    assert "no labels" not in by_id(root, "summary").text
    assert root.text.count("Of 3 gates, 1 passes, 1 fails and 1 is undecided.") == 1


def test_a_report_of_gates_says_its_headline_once(report):
    """The sentence is the first heading and stands nowhere else; the judge is the one that the gates name."""
    root = tree(to_html(msgspec.structs.replace(report, validations=(), rates=())))
    assert root.text.count("Of 3 gates, 1 passes, 1 fails and 1 is undecided.") == 1
    section = next(node for node in root.all("section") if node.attributes["aria-labelledby"] == "identity")
    assert "judge house" in " ".join(node.text for node in section.all("dt", "dd"))


def test_no_column_is_left_for_rates_that_nobody_asked_for(spanish):
    """Without any rate there is no column of rates."""
    assert "corrected" not in by_id(tree(to_html(spanish)), "summary").text


def test_a_raw_gate_is_marked(report, raw):
    """The row of a gate on the judge's own mean says that its bias is in it."""
    root = tree(to_html(msgspec.structs.replace(report, validations=(), rates=(), decisions=(raw,))))
    section = next(node for node in root.all("section") if node.attributes["aria-labelledby"] == "gates")
    assert "raw, the judge's bias is not corrected" in section.all("tbody")[0].all("tr")[0].text


def test_the_words_say_what_the_figures_are(page):
    """Judge alone and bias are of probabilities, confidence is cautious, and is called so."""
    root = tree(page)
    words = next(node for node in root.all("dl") if "terms" in node.classes)
    meant = {term.text: told.text for term, told in zip(words.all("dt"), words.all("dd"), strict=True)}
    assert meant["judge alone"].startswith("The mean of the judge's probability of passing")
    assert meant["judge's bias"].startswith("The mean of the judge's probability of passing minus the people's rate")
    cautious = meant["confidence that it is at least the bar"]
    assert "less than one minus it" in cautious
    assert "agreement, judge minus people" in meant
    captions = [node.text for node in root.all("figcaption")]
    assert any("the judge alone, the mean of its probability of passing" in text for text in captions)
    assert "taken at its word" not in page
    figures = next(node for node in root.all("table") if "values" in node.classes)
    assert "confidence that it is at least 0.85 >0.99" in " ".join(cell.text for cell in figures.all("th", "td"))
    gates = next(node for node in root.all("section") if node.attributes["aria-labelledby"] == "gates")
    heads = [cell.text.replace("\xa0", " ") for cell in gates.all("thead")[0].all("th")]
    assert heads == ["gate", "verdict", "criterion", "estimate", "method", "at least", "confidence"]


def test_a_criterion_without_labels_says_no_labels(report, unlabelled):
    """Summary, figures and chart say "no labels" of it, and no figure is drawn where none is known."""
    root = tree(to_html(msgspec.structs.replace(report, validations=(unlabelled,), rates=(), decisions=())))
    row = by_id(root, "summary").all("tbody")[0].all("tr")[0]
    assert [cell.text for cell in row.all("td")][2] == "no labels"
    figures = next(node for node in root.all("table") if "values" in node.classes)
    assert [cell.text for cell in figures.all("tbody")[0].all("tr")[1].all("th", "td")] == [
        "people with people",
        "no labels",
    ]
    assert "one rater" not in root.text
    assert not root.all("figure")


def test_every_count_is_written_alike(report):
    """Thousands have a comma in n, in the matrix, in the labels still needed and in what was left out."""
    part = report.validations[0].criteria[3]
    many = msgspec.structs.replace(
        part,
        agreement=Estimate(value=0.9, low=0.89, high=0.91, confidence=0.95, method="wilson", n=5041),
        confusion=((0, 1004), (0, 4037)), word="not enough labels", more=1023,
        disagreements=tuple(f"q{place}" for place in range(1500)),
        funnel=msgspec.structs.replace(part.funnel, both=5041),
    )  # fmt: skip
    validation = msgspec.structs.replace(report.validations[0], criteria=(many,))
    text = tree(to_html(msgspec.structs.replace(report, validations=(validation,), rates=(), decisions=()))).text
    for number in ("n=5,041", "1,004", "4,037", "about 1,023 more", "1,500 items", "1,488 more"):
        assert number in text
    assert not re.search(r"\b(5041|1004|4037|1023|1500|1488)\b", text)


def test_long_names_break_at_their_joints(report):
    """A name too long for a column may break after an underscore; a number may not; no letter is lost."""
    name = "safe_for_children_and_others"
    part = msgspec.structs.replace(report.validations[0].criteria[0], criterion=name)
    validation = msgspec.structs.replace(report.validations[0], criteria=(part, report.validations[0].criteria[1]))
    page = to_html(msgspec.structs.replace(report, validations=(validation,), rates=(), decisions=()))
    assert "safe_<wbr>for_<wbr>children_<wbr>and_<wbr>others" in page
    assert by_id(tree(page), "summary").all("tbody")[0].all("th")[0].text == name
    assert "0.<wbr>" not in page


def test_project_and_title_stand_once_above_the_headline(report):
    """A title that begins with the project's name is not preceded by it."""
    short = msgspec.structs.replace(report, validations=(), rates=(), title="support-bot: fit to decide?")
    root = tree(to_html(short))
    kicker = next(node for node in root.all("p") if "kicker" in node.classes)
    assert kicker.text == "support-bot: fit to decide? · 2026-03-02"
    assert root.all("title")[0].text == "support-bot: fit to decide?"


def test_a_wide_matrix_scrolls_in_its_own_box(page):
    """The matrix stands in a box that scrolls and that a keyboard reaches; its head shows the options alone."""
    root = tree(page)
    parents = [node for node in root.walk() if any("matrix" in child.classes for child in node.children)]
    assert len(parents) == 4
    for node in parents:
        assert "scroll" in node.classes
        assert node.attributes["tabindex"] == "0"
        assert node.attributes["aria-label"]
        heads = node.all("thead")[0].all("th")
        assert all(head.all("span")[0].classes == ["unseen"] for head in heads[1:])
