"""The labelling page in a real browser: keys, moving on, undo, skips, notes, evidence, and what is stored of it."""

from __future__ import annotations

from typing import Any

import pytest

from fiel.records import Criterion, Item, Pair, Rubric

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install fiel[test]")

LOG_KEYS = """
window.sent = [];
addEventListener("keydown", (event) => {
  const place = document.querySelector(".item")?.dataset.place;
  if (/^[0-9]$/.test(event.key)) window.sent.push([Number(place), event.key]);
}, { capture: true });
"""


def ready(page: Any) -> None:
    """Until the first item is shown."""
    page.locator(".option").first.wait_for()


def saved(page: Any) -> None:
    """Until everything has arrived."""
    page.locator('.state[data-kind="saved"]').wait_for()


def shown(page: Any) -> int:
    """The place that is shown."""
    return int(page.locator(".item").get_attribute("data-place"))


def answers(site: Any, rater: str = "ann") -> dict[int, str | None]:
    """What stands, by place."""
    return {place: given.label.answer for (_, place, _), given in site.standing(rater).items()}


def select(page: Any, part: str, start: int, end: int) -> None:
    """Select characters (UTF-16 units) of a part's text."""
    page.evaluate(
        """([part, start, end]) => {
          const node = document.querySelector(`.part-${part} .text`).firstChild;
          const range = document.createRange();
          range.setStart(node, start);
          range.setEnd(node, end);
          getSelection().removeAllRanges();
          getSelection().addRange(range);
        }""",
        [part, start, end],
    )


def test_a_key_labels_and_shows_the_next_item_at_once(site, opens):
    """Test 2: `1` shows the next item without a page load, the counter says 1 of 8, the dot Saved, and it is kept."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    loads = []
    page.on("framenavigated", lambda frame: loads.append(frame.url.split("#")[0]))
    first = page.locator(".part-output .text").text_content()
    page.keyboard.press("1")
    assert shown(page) == 1
    assert page.locator(".part-output .text").text_content() != first
    assert page.locator(".count").text_content() == "1 of 8"
    saved(page)
    assert page.locator(".state .word").text_content() == "Saved"
    assert answers(study) == {0: "no"}
    assert set(loads) <= {study.link("ann")}


def test_sixty_quick_keys_label_the_items_they_were_meant_for(site, opens, items):
    """Test 3: 60 keys, 20 ms apart, are 60 labels, each on the item that was on the screen at that key."""
    study = site(subjects=items(60))
    page = opens("about:blank")
    page.add_init_script(LOG_KEYS)
    page.goto(study.link("ann"))
    ready(page)
    keys = "".join("12"[(n * n // 3) % 2] for n in range(60))
    page.keyboard.type(keys, delay=20)
    page.locator(".finish h1").wait_for()
    saved(page)
    sent = page.evaluate("window.sent")
    assert [key for _, key in sent] == list(keys)
    assert [place for place, _ in sent] == list(range(60))
    assert answers(study) == {place: {"1": "no", "2": "yes"}[key] for place, key in sent}
    assert len(study.store.history("demo", rater="ann")) == 60


def test_keys_with_modifiers_in_text_and_held_down_label_nothing(site, opens):
    """Test 4: Ctrl+2, Alt+1, Meta+2, `1` inside the note and a key that repeats by itself give no label."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    for keys in ("Control+2", "Alt+1", "Meta+2"):
        page.keyboard.press(keys)
    page.keyboard.press("n")
    page.keyboard.type("1 and 2")
    page.keyboard.press("Escape")
    page.keyboard.down("1")
    page.keyboard.down("1")
    page.keyboard.down("1")
    page.keyboard.up("1")
    saved(page)
    assert shown(page) == 1
    assert answers(study) == {0: "no"}
    assert study.standing("ann")["ann", 0, "grounded"].label.note == "1 and 2"


def test_undo_goes_back_step_by_step_and_redo_forth(site, opens):
    """Test 5: `U` restores the item and what is stored, three times steps back three, and `R` does it again."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    page.keyboard.type("121")
    saved(page)
    assert page.locator(".undo").text_content().endswith("Undo: item 3 → no")
    for place in (2, 1, 0):
        page.keyboard.press("u")
        saved(page)
        assert shown(page) == place
        assert answers(study)[place] is None
    assert page.locator(".count").text_content() == "0 of 8"
    page.keyboard.press("r")
    page.keyboard.press("r")
    saved(page)
    assert answers(study) == {0: "no", 1: "yes", 2: None}
    page.keyboard.press("1")  # on item 2, which redo shows, the other answer
    page.keyboard.press("u")
    saved(page)
    assert answers(study)[1] == "yes"
    assert [given.version for given in study.store.history("demo", rater="ann") if given.place == 0] == [1, 2, 3]


def test_skip_wants_a_reason_and_is_undone_by_a_key(site, opens, items):
    """Test 6: `S` asks why, Escape skips nothing, reasons are kept and listed at the end, a key takes a skip back."""
    study = site(subjects=items(3))
    page = opens(study.link("ann"))
    ready(page)
    page.keyboard.press("s")
    page.keyboard.press("Escape")
    assert shown(page) == 0
    page.keyboard.press("s")
    page.keyboard.press("3")
    page.keyboard.press("s")
    page.keyboard.press("4")
    page.keyboard.type("two languages")
    page.keyboard.press("Enter")
    page.keyboard.press("2")
    page.locator(".finish h1").wait_for()
    saved(page)
    assert page.locator(".finish .lead").text_content() == "3 of 3, 2 skipped, 0 flagged."
    assert page.locator(".places button").all_text_contents() == ["Item 1", "Item 2"]
    skips = [given.label.skipped for given in study.standing("ann").values()]
    assert set(skips) == {"conflict of interest", "two languages", None}
    page.locator(".places button").first.click()
    page.keyboard.press("s")
    saved(page)
    assert study.standing("ann")["ann", 0, "grounded"].label.skipped is None
    page.keyboard.press("1")
    page.locator(".finish h1").wait_for()
    saved(page)
    assert answers(study)[0] == "no"
    assert page.locator(".finish .lead").text_content() == "3 of 3, 1 skipped, 0 flagged."


def test_flags_notes_and_evidence_are_kept(site, opens):
    """Test 6: `F`, `N` and `E` are stored; evidence counts code points, is drawn in the text and can be taken away."""
    study = site(subjects=(Item(id="a", input="Who?", output="A ship 🚢🚢 sank; the crew was saved."),))
    page = opens(study.link("ann"))
    ready(page)
    page.keyboard.press("f")
    page.keyboard.press("n")
    page.keyboard.type("says “sank”")
    page.keyboard.press("Escape")
    select(page, "output", 11, 17)  # " sank;" behind two characters of two units each
    page.keyboard.press("e")
    assert page.locator("mark").all_text_contents() == [" sank;".strip()]
    page.keyboard.press("2")
    saved(page)
    label = study.standing("ann")["ann", 0, "grounded"].label
    assert (label.flag, label.note, label.answer) == (True, "says “sank”", "yes")
    (span,) = label.evidence
    assert (span.field, "A ship 🚢🚢 sank; the crew was saved."[span.start : span.end]) == ("answer", "sank;")
    page.keyboard.press("ArrowLeft")
    page.reload()
    page.goto(study.link("ann") + "#1")
    page.locator("mark").wait_for()
    page.locator(".evidence .remove").click()
    saved(page)
    assert study.standing("ann")["ann", 0, "grounded"].label.evidence == ()


def test_evidence_is_marked_by_keyboard_alone(site, opens):
    """Test 8: `E` without a selection chooses sentences by arrows, Shift makes it longer, `E` marks, Esc leaves."""
    text = "It opened in 1897. A widow 🚢 paid. Entry is free."
    study = site(subjects=(Item(id="a", input="Who paid?", output=text),))
    page = opens(study.link("ann"))
    ready(page)
    page.keyboard.press("e")
    assert "another sentence" in page.locator(".notice").text_content()
    assert page.evaluate("String(getSelection())") == "It opened in 1897."
    page.keyboard.press("Escape")
    assert page.evaluate("String(getSelection())") == ""
    page.keyboard.press("e")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("e")
    assert page.locator("mark").all_text_contents() == ["A widow 🚢 paid. Entry is free."]
    page.keyboard.press("1")
    saved(page)
    (span,) = study.standing("ann")["ann", 0, "grounded"].label.evidence
    assert text[span.start : span.end] == "A widow 🚢 paid. Entry is free."


def test_a_reload_comes_back_to_the_same_item(site, opens):
    """Test 7: after a reload and a restart of the server the item, the order and the chosen answer are the same."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    order = []
    for _ in range(4):
        order.append(page.locator(".part-output .text").text_content())
        page.keyboard.press("2")
    page.keyboard.press("ArrowLeft")
    saved(page)
    study.stop()
    study.start()
    page.reload()
    ready(page)
    assert shown(page) == 3
    assert page.locator('[aria-checked="true"] .label > span').text_content() == "yes"
    assert page.locator(".part-output .text").text_content() == order[3]
    for place in (2, 1, 0):
        page.keyboard.press("ArrowLeft")
        assert page.locator(".part-output .text").text_content() == order[place]


def test_raters_have_orders_of_their_own(site, items):
    """Test 7: two raters get different orders of the same items, and each the same order after a restart."""
    study = site(subjects=items(30))

    def order(rater: str) -> list[str]:
        answer = study.request("GET", "/api/places?start=0&count=50", token=study.tokens[rater])
        return [place["parts"][0]["text"] for place in answer.json["places"]]

    before = {rater: order(rater) for rater in ("ann", "bob")}
    assert before["ann"] != before["bob"]
    assert sorted(before["ann"]) == sorted(before["bob"])
    study.stop()
    study.start()
    assert {rater: order(rater) for rater in ("ann", "bob")} == before


def test_all_of_it_works_with_the_keyboard_alone(site, opens, items):
    """Test 8: items, skip, note and help from start to end by keyboard, the focus visible throughout."""
    study = site(subjects=items(12))
    page = opens(study.link("ann"))
    ready(page)

    def focus_is_seen() -> bool:
        return page.evaluate(
            """() => {
              const at = document.activeElement;
              const box = at.getBoundingClientRect();
              const style = getComputedStyle(at);
              const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
              return at !== document.body && box.width > 0 && box.top < innerHeight && (ring || at.matches(".finish"));
            }"""
        )

    page.keyboard.press("?")
    assert page.locator("dialog .keys").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("dialog").count() == 0
    for place in range(11):
        assert shown(page) == place
        assert focus_is_seen()
        if place == 3:
            page.keyboard.press("n")
            assert focus_is_seen()
            page.keyboard.type("hm")
            page.keyboard.press("Escape")
            assert focus_is_seen()
        if place == 5:
            page.keyboard.press("s")
            assert focus_is_seen()
            page.keyboard.press("1")
        elif place == 7:  # by way of the radio group
            page.keyboard.press("Tab")
            page.keyboard.press("ArrowDown")
            assert focus_is_seen()
            page.keyboard.press("Space")
        else:
            page.keyboard.press("1")
    page.keyboard.press("2")
    page.locator(".finish h1").wait_for()
    saved(page)
    given = answers(study)
    assert (given[3], given[5], given[7], given[11]) == ("no", None, "yes", "yes")
    assert len(given) == 12


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_for_axe(site, opens, items, scheme):
    """Test 8: axe-core finds nothing serious or critical at an item, in the dialogs or at the end."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    study = site(subjects=items(2), adjudicator="zoe")
    page = opens(study.link("ann"), color_scheme=scheme, bypass_csp=True)

    def serious() -> list[str]:
        found = axe.Axe().run(page).response["violations"]
        return [f"{v['id']}: {v['nodes'][0]['html']}" for v in found if v["impact"] in {"serious", "critical"}]

    ready(page)
    page.keyboard.press("n")
    page.keyboard.type("hm")
    page.keyboard.press("Escape")
    select(page, "output", 0, 5)
    page.keyboard.press("e")
    assert serious() == []
    page.keyboard.press("s")
    assert serious() == []
    page.keyboard.press("1")
    page.keyboard.press("?")
    assert serious() == []
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    page.locator(".finish h1").wait_for()
    saved(page)
    assert serious() == []
    page.goto(study.bench)
    page.locator(".rater").first.wait_for()
    assert serious() == []


@pytest.mark.parametrize("size", [(390, 800), (640, 400)])
def test_it_fits_a_phone_and_a_zoom_of_200_percent(site, opens, size):
    """Test 11: at 390 x 800 and at 1280 x 800 zoomed twice nothing scrolls sideways and the options are in reach."""
    width, height = size
    long = "A very long word: " + "x" * 300 + "\n" + "and many others " * 300
    study = site(subjects=(Item(id="a", input=long, context=long, output=long),))
    page = opens(study.link("ann"), viewport={"width": width, "height": height}, has_touch=True)
    ready(page)
    overflow = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    assert page.evaluate(overflow) == [width, height]
    assert all(
        pane["scroll"] <= pane["client"]
        for pane in page.evaluate(
            "[...document.querySelectorAll('.item, .questions, .rubric, .top, .bottom')]"
            ".map((e) => ({ scroll: e.scrollWidth, client: e.clientWidth }))"
        )
    )
    option = page.locator(".option").last
    option.tap()
    saved(page)
    assert answers(study) == {0: "yes"}
    if width == 390:
        page.goto(study.link("ann") + "#1")
        page.reload()
        ready(page)
        box = page.locator(".option").last.bounding_box()
        assert height * 0.4 < box["y"] < height - 44
        assert box["height"] >= 40


def test_odd_answers_come_back_to_the_letter(site, opens):
    """Test 12: `0`/`1` (by their own keys), `none`, `false`, Ja/Nein and emoji are kept as they are written."""
    kinds = {
        "bit": ("0", "1"),
        "word": ("none", "false"),
        "german": ("Nein", "Ja"),
        "face": ("🙁", "🙂"),
        "many": tuple(f"o{n}" for n in range(11)),
    }
    criteria = tuple(Criterion(id=name, question=f"{name}?", options=options) for name, options in kinds.items())
    study = site(subjects=(Item(id="a", output="x"),), rubric=Rubric(id="odd", criteria=criteria))
    page = opens(study.link("ann"))
    ready(page)
    for key in ("0", "1", "2", "1", "d"):
        page.keyboard.press(key)
    page.locator(".finish h1").wait_for()
    saved(page)
    given = {criterion: one.label.answer for (_, _, criterion), one in study.standing("ann").items()}
    assert given == {"bit": "0", "word": "none", "german": "Ja", "face": "🙁", "many": "o10"}
    page.goto(study.link("ann") + "#1")
    page.reload()
    ready(page)
    assert page.locator('[aria-checked="true"] .label > span').all_text_contents() == ["0", "none", "Ja", "🙁", "o10"]


def test_several_questions_are_answered_one_after_another(site, opens, items):
    """A key answers the focused question, the focus goes on, and after the last one the next item is shown."""
    criteria = (
        Criterion(id="one", question="One?"),
        Criterion(id="two", question="Two?", applies_when="there is something"),
        Criterion(id="three", question="Three?"),
    )
    study = site(subjects=items(2), rubric=Rubric(id="r", language="es", criteria=criteria))
    page = opens(study.link("ann"))
    ready(page)
    assert page.locator(".card.focused .criterion").text_content() == "one"
    page.keyboard.press("2")
    assert (shown(page), page.locator(".card.focused .criterion").text_content()) == (0, "two")
    page.keyboard.press("x")
    page.locator('[aria-labelledby="question-0"] .option').first.click()  # changed with the mouse
    assert page.locator(".card.focused .criterion").text_content() == "three"
    page.keyboard.press("1")
    assert shown(page) == 1
    assert page.locator(".count").text_content() == "1 de 2"
    saved(page)
    given = {criterion: one.label for (_, _, criterion), one in study.standing("ann").items()}
    assert (given["one"].answer, given["two"].skipped, given["three"].answer) == ("no", "not applicable", "no")
    assert page.locator("html").get_attribute("lang") == "es"


def test_pairs_stand_side_by_side_and_are_answered_by_side(site, opens):
    """Both answers of a pair stand beside each other; keys 1 to 5 say which and how clearly, kept as `a` or `b`."""
    pairs = tuple(Pair(id=f"p{n}", input="Which?", a=f"from a {n}", b=f"from b {n}") for n in range(6))
    study = site(subjects=pairs)
    page = opens(study.link("ann"))
    ready(page)
    first, second = page.locator(".part-first").bounding_box(), page.locator(".part-second").bounding_box()
    assert first["y"] == second["y"]
    assert first["x"] + first["width"] <= second["x"]
    assert page.locator(".option").count() == 5
    sides = []
    for key in "123455":
        sides.append(page.locator(".part-first .text").text_content()[5])
        page.keyboard.press(key)
    page.locator(".finish h1").wait_for()
    saved(page)
    assert set(sides) == {"a", "b"}
    other = {"a": "b", "b": "a"}
    expected = [
        (sides[0], 2),
        (sides[1], 1),
        ("tie", None),
        (other[sides[3]], 1),
        (other[sides[4]], 2),
        (other[sides[5]], 2),
    ]
    given = study.standing("ann")
    got = [given["ann", place, "grounded"].label for place in range(6)]
    assert [(label.answer, label.strength) for label in got] == expected
    assert [label.shown for label in got] == ["ab" if side == "a" else "ba" for side in sides]


def test_both_raters_are_served_the_whole_sample_and_nothing_else(site, opens, items):
    """Test 18: of a sample of 30 both raters see exactly these 30, and the counter says so, repeats not counted."""
    study = site(subjects=items(60)[::2], repeats=0.1)
    seen = {}
    for rater in ("ann", "bob"):
        answer = study.request("GET", "/api/places?start=0&count=50", token=study.tokens[rater])
        places = answer.json["places"]
        assert len(places) == 33
        assert sum(place["counted"] for place in places) == 30
        seen[rater] = {place["parts"][0]["text"] for place in places}
    assert seen["ann"] == seen["bob"] == {f"What is fact {n}?" for n in range(0, 60, 2)}
    page = opens(study.link("bob"))
    ready(page)
    assert page.locator(".count").text_content() == "0 of 30"
    page.keyboard.type("1" * 33, delay=5)
    page.locator(".finish h1").wait_for()
    assert page.locator(".finish .lead").text_content() == "30 of 30, 0 skipped, 0 flagged."


def test_a_closed_study_says_so_and_takes_nothing(site, opens):
    """An answer given after the study was closed is refused, told, and stays in the browser."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    study.store.close_study("demo")
    page.keyboard.press("1")
    page.locator('.state[data-kind="closed"]').wait_for()
    assert "closed before 1 answer arrived" in page.locator(".notice").text_content()
    assert study.standing("ann") == {}
    page.reload()
    ready(page)
    page.keyboard.press("2")
    assert shown(page) == 1
    assert page.locator('[aria-checked="true"]').count() == 0
