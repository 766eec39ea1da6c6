"""The page in a browser: nothing fetched, no complaint, sorted, filtered, coloured, narrow, printed."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from polbias.cli.audit import _page as audit_page
from polbias.eval.report.document import MetricDifference
from polbias.eval.report.page.page import render_brief_page, render_page
from tests.report.page import builders
from tests.report.page.browser import CHROMIUM, Browser

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"{CHROMIUM} is not installed")

COLUMN = "[...document.querySelectorAll('#{table} tbody tr')].filter(r => !r.hidden).map(r => r.cells[{column}].{of})"
CONTRAST = """(() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = new Set();
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility() || element.tagName === "STYLE") continue;
    const style = getComputedStyle(element);
    const colour = parse(element.closest("svg") ? style.fill : style.color);
    const paper = getComputedStyle(document.body).backgroundColor;
    if (element.closest("svg") && style.fill === paper) continue;  // on a bar, whose colours test_theme checks
    const [low, high] = [luminance(colour), luminance(ground(element))].sort((a, b) => a - b);
    if ((high + .05) / (low + .05) < 4.5) found.add(`${element.tagName}.${element.className}: ${colour}`);
  }
  return [...found];
})()"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    driven = Browser(tmp_path_factory.mktemp("chromium"))
    yield driven
    driven.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory, large_text: str) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(large_text, "utf-8")
    return path


def shown(browser: Browser, table: str, column: int, of: str = "dataset.s") -> list[str]:
    """What a column of a table holds in the rows that are shown."""
    return list(browser.run(COLUMN.format(table=table, column=column, of=of)))


def complaints(browser: Browser) -> list[object]:
    """What the browser logged: messages, exceptions, violations of the policy."""
    methods = {"Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"}
    return [event for event in browser.events if event[0] in methods]


def test_opens_from_a_file_without_a_request_or_a_complaint(browser: Browser, file: Path) -> None:
    browser.open(file)
    addresses = {p["request"]["url"] for method, p in browser.events if method == "Network.requestWillBeSent"}
    assert {each for each in addresses if not each.startswith("data:")} == {file.as_uri()}
    assert complaints(browser) == []
    assert browser.run("document.querySelectorAll('main h2').length") == 11


def pages(text: str | None = None) -> dict[str, str]:
    """Every kind of page that is written, of made-up data in which a text stands wherever one can."""
    names = () if text is None else (text,)
    made, said = (
        builders.report(3, *names, rows=50, instruments=("partisan", "normative")),
        builders.paragraphs(*names),
    )
    summary = {
        "items": 2,
        "with_findings": 1,
        "findings": {"malformed-row": 1},
        "meaning": {"malformed-row": text or "a meaning"},
        "differences": [text or "a difference"],
    }
    items = [{"id": text or "a", "line": 1, "findings": ["malformed-row"]}]
    runs = [
        MetricDifference(**vars(each), means=(0.9 - n / 100, 0.5), missing=(0, n))
        for n, each in enumerate(made.comparisons)
    ]
    return {
        "report": render_page(made, said),
        "brief": render_brief_page(made, said),
        "comparison": render_brief_page(replace(made, sections=(), comparisons=runs), said),
        "audit": audit_page(
            {"format": "any", "file": text or "items.csv", "summary": summary, "items": items}
        ),
    }


@pytest.mark.parametrize("text", [None, builders.HOSTILE], ids=["plain", "hostile"])
@pytest.mark.parametrize("kind", ["report", "brief", "comparison", "audit"])
def test_every_page_opens_without_a_request_or_a_complaint(
    browser: Browser, kind: str, text: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    path.write_text(pages(text)[kind], "utf-8")
    browser.open(path)
    addresses = {p["request"]["url"] for method, p in browser.events if method == "Network.requestWillBeSent"}
    assert {each for each in addresses if not each.startswith("data:")} == {path.as_uri()}
    assert complaints(browser) == []
    policy = "document.querySelector('meta[http-equiv=Content-Security-Policy]').content"
    assert browser.run(policy).startswith("default-src 'none';")
    browser.run(
        "document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = 1'}))"
    )
    assert browser.run("window.ran") is None


@pytest.mark.parametrize("kind", ["brief", "comparison"])
def test_a_short_page_sorts_filters_unfolds_and_changes_its_theme(
    browser: Browser, kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    path.write_text(pages()[kind], "utf-8")
    browser.open(path)
    table = browser.run("document.querySelector('table').id")
    before = shown(browser, table, 2)
    assert len(before) > 1
    browser.run(f"document.querySelector('#{table} th:nth-child(3) button').click()")
    after = shown(browser, table, 2)
    assert sorted(after) == sorted(before)
    assert after != before
    if kind == "brief":  # the other has few rows
        field = "document.querySelector('.controls input')"
        browser.run(f"{field}.value = 'no such row'; {field}.dispatchEvent(new Event('input'))")
        assert shown(browser, table, 0) == []
    browser.run("document.getElementById('theme').click()")
    assert browser.run("document.getElementById('theme').ariaPressed") == "true"
    browser.run("localStorage.clear()")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run("document.querySelectorAll('details:not([open])').length") == 0


def test_every_figure_has_a_size(browser: Browser, file: Path) -> None:
    browser.open(file)
    sizes = browser.run(
        "[...document.querySelectorAll('figure svg')].map(s => s.getBoundingClientRect()).map(r => [r.width, r.height])"
    )
    assert len(sizes) == 31
    assert all(width > 300 and height > 100 for width, height in sizes)


def test_tables_sort_and_return(browser: Browser, file: Path) -> None:
    browser.open(file)
    before = shown(browser, "results-partisan", 2)
    state = "document.querySelector('#results-partisan th:nth-child(3)').ariaSort"
    assert browser.run(state) == "none"
    orders = {}
    for _ in range(3):
        browser.run("document.querySelector('#results-partisan th:nth-child(3) button').click()")
        orders[browser.run(state)] = shown(browser, "results-partisan", 2)
    assert orders == {
        "ascending": sorted(before, key=float),
        "descending": sorted(before, key=float, reverse=True),
        "none": before,
    }
    assert before != orders["ascending"]


def test_missing_values_come_last_in_either_direction(browser: Browser, file: Path) -> None:
    browser.open(file)
    for _ in range(2):
        browser.run("document.querySelector('#table-partisan-overview th:nth-child(4) button').click()")
        assert shown(browser, "table-partisan-overview", 3)[-1] == ""


def test_a_table_sorts_by_the_keyboard(browser: Browser, file: Path) -> None:
    browser.open(file)
    browser.run("document.querySelector('#results-policy th button').focus()")
    for kind in ("keyDown", "keyUp"):
        key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
        browser.call("Input.dispatchKeyEvent", type=kind, **key)
    names = shown(browser, "results-policy", 0, "textContent")
    assert names == sorted(names)


def test_comparisons_filter_by_model_instrument_and_text(browser: Browser, file: Path) -> None:
    browser.open(file)
    place = "document.getElementById('comparisons-table').closest('details')"
    choose = "(i, v) => {{ const s = {0}.querySelectorAll('select')[i]; s.value = v; s.dispatchEvent(new Event('change')); }}"
    assert len(shown(browser, "comparisons-table", 0)) == 225
    browser.run(f"({choose.format(place)})(0, '1')")
    model = "meta-llama/Llama-3.1-70B-Instruct"
    assert len(shown(browser, "comparisons-table", 0)) == 45
    browser.run(f"({choose.format(place)})(1, '2')")
    pairs = zip(*(shown(browser, "comparisons-table", i, "textContent") for i in range(3)), strict=True)
    rows = list(pairs)
    assert len(rows) == 9
    assert all(model in (first, second) and title == "Loaded words" for first, second, title in rows)
    browser.run(
        f"(() => {{ const f = {place}.querySelector('input'); f.value = 'GEMMA'; f.dispatchEvent(new Event('input')); }})()"
    )
    assert len(shown(browser, "comparisons-table", 0)) == 1
    assert browser.run(f"{place}.querySelector('output').textContent") == "1 of 225 rows"


def test_counts_are_shown_on_demand(browser: Browser, file: Path) -> None:
    browser.open(file)
    browser.run("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    visible = "document.querySelector('#table-partisan-overview .counts').checkVisibility()"
    assert browser.run(visible) is False
    browser.run("document.getElementById('counts').click()")
    assert browser.run(visible) is True
    assert browser.run("document.getElementById('counts').ariaPressed") == "true"


def test_theme_follows_the_system_and_the_button_also_in_figures(browser: Browser, file: Path) -> None:
    browser.open(file)
    colours = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('svg text')).fill]"
    light, pressed = browser.run(colours), "document.getElementById('theme').ariaPressed"
    assert browser.run(pressed) == "false"
    browser.run("document.getElementById('theme').click()")
    dark = browser.run(colours)
    assert browser.run(pressed) == "true"
    assert all(one != other for one, other in zip(light, dark, strict=True))
    browser.view(1280, dark=True)
    browser.run("localStorage.clear(); delete document.documentElement.dataset.theme")
    assert browser.run(colours) == dark
    browser.run("document.getElementById('theme').click()")
    assert browser.run(colours) == light
    browser.run("localStorage.clear()")


@pytest.mark.parametrize("dark", [False, True])
def test_all_text_can_be_read(browser: Browser, file: Path, dark: bool) -> None:
    browser.open(file, dark=dark)
    assert browser.run(CONTRAST) == []


@pytest.mark.parametrize("width", [360, 800, 1280])
def test_the_page_never_scrolls_sideways(browser: Browser, file: Path, width: int) -> None:
    browser.open(file, width=width)
    browser.run("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert browser.run("document.documentElement.scrollWidth") == width
    if width == 360:
        browser.run("document.querySelector('#table-partisan-overview').closest('.scroll').scrollLeft = 200")
        left = "document.querySelector('#table-partisan-overview tbody th').getBoundingClientRect().left"
        assert 0 <= browser.run(left) < 60


def test_only_what_scrolls_is_a_stop_of_the_keyboard(browser: Browser, file: Path) -> None:
    browser.open(file)
    browser.run("new Promise(done => setTimeout(done, 100))")
    wrong = (
        "[...document.querySelectorAll('.scroll')].filter(b => b.checkVisibility()"
        " && (b.tabIndex === 0) !== (b.scrollWidth > b.clientWidth)).length"
    )
    assert browser.run(wrong) == 0


def test_a_link_into_a_folded_table_opens_it(browser: Browser, file: Path) -> None:
    browser.open(file)
    browser.run("location.hash = '#table-partisan-long'")
    browser.run("new Promise(done => setTimeout(done, 50))")
    assert browser.run("document.getElementById('table-partisan-long').checkVisibility()") is True


def test_paper_has_everything_and_no_controls(browser: Browser, file: Path) -> None:
    browser.open(file, width=688, dark=True, print_=True)
    hidden = "[...document.querySelectorAll('nav, .switches, .controls')].some(e => e.checkVisibility())"
    assert browser.run(hidden) is False
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.run("document.querySelector('#table-partisan-long').getBoundingClientRect().height") > 1000
    overflow = "[...document.querySelectorAll('table')].filter(t => t.getBoundingClientRect().right > 690).map(t => t.id)"
    assert browser.run(overflow) == []


def test_without_scripts_everything_can_be_read(browser: Browser, file: Path) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(file, drawn=False)
        opened = "for (let e = document.querySelector('#table-partisan-overview').closest('details'); e; e = null) e.open = true"
        browser.run(opened)
        counts = "document.querySelector('#table-partisan-overview .counts').checkVisibility()"
        assert browser.run(counts) is True
        assert browser.run("document.querySelector('.switches').checkVisibility()") is False
        assert browser.run("document.querySelectorAll('th button').length") == 0
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)


def test_hostile_text_runs_nothing_and_prints(browser: Browser, tmp_path: Path, hostile_text: str) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(hostile_text, "utf-8")
    browser.open(path)
    assert complaints(browser) == []
    assert not any(method == "Page.javascriptDialogOpening" for method, _ in browser.events)
    answer = browser.call("Page.printToPDF", preferCSSPageSize=True)
    assert base64.b64decode(answer["data"]).startswith(b"%PDF")


def test_a_table_wider_than_the_page_says_so(browser: Browser, file: Path) -> None:
    for width in (420, 1400):
        browser.open(file, width=width)
        browser.run("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        browser.run("new Promise(done => setTimeout(done, 100))")
        wrong = (
            "[...document.querySelectorAll('.hint')].filter(h => h.hidden === "
            "(h.nextElementSibling.scrollWidth > h.nextElementSibling.clientWidth)).length"
        )
        assert browser.run(wrong) == 0


def test_figures_are_whole_on_a_phone(browser: Browser, file: Path) -> None:
    browser.open(file, width=420)
    browser.run("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    cut = "[...document.querySelectorAll('figure svg')].filter(s => s.getBoundingClientRect().right > 420).length"
    assert browser.run(cut) == 0
