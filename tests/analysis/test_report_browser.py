"""The page in a real browser without a network: links open what is folded, nothing scrolls aside."""

import pytest

from analysis.report.write import write_report
from tests.analysis.browser import Browser, find_chromium
from tests.analysis.hostile_run import HostileRun

pytestmark = pytest.mark.skipif(
    find_chromium() is None, reason="no Chromium on the path; apt-get install chromium runs these tests"
)

OPEN_ALL = "document.querySelectorAll('details').forEach(it => it.open = true)"
WIDER = """[...document.querySelectorAll('main *')].filter(it => !it.closest('.scroll table')
  && !it.closest('svg') && it.getBoundingClientRect().right > innerWidth + 1)
  .map(it => it.tagName + '.' + it.className)"""
READ = "td a[href*='-episode-']"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def page(run_path, tmp_path):
    return write_report(run_path, tmp_path / "report.html").files[0]


def test_a_click_leads_from_a_weakness_to_its_episode(browser, page):
    browser.open(page, width=1280)
    browser.said.clear()
    target = browser.value(f'document.querySelector("{READ}").hash.slice(1)')
    shown = (
        f"(() => {{ const it = document.getElementById('{target}'); const box = it.getBoundingClientRect();"
    )
    shown += "return it.open && it.parentElement.open && box.top >= 0 && box.top < innerHeight; })()"
    assert browser.value(f"document.getElementById('{target}').open") is False
    browser.click(READ)
    assert browser.value(shown) is True
    assert "failed" in browser.value(f"document.querySelector('#{target} summary').innerText")
    browser.value("document.querySelectorAll('details').forEach(it => it.open = false)")
    browser.click(READ)  # the same link again
    assert browser.value(shown) is True
    assert browser.said == []


def test_a_link_from_outside_opens_the_episode(browser, page):
    browser.open(page, width=1280)
    target = browser.value(f'document.querySelector("{READ}").hash')
    browser.ask("Page.navigate", url="about:blank")
    browser.open(page, width=1280, place=target)
    assert browser.value(f"document.querySelector('{target}').open") is True


def test_the_page_fetches_nothing_but_itself(browser, page):
    browser.requests.clear()
    browser.said.clear()
    browser.open(page, width=1280)
    browser.value(OPEN_ALL)
    assert browser.requests == [page.resolve().as_uri()] and browser.said == []


@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_wider_than_a_phone(browser, page, dark):
    browser.open(page, width=360, dark=dark)
    browser.value(OPEN_ALL)
    assert browser.value("document.documentElement.scrollWidth") == 360
    assert browser.value(WIDER) == []


def test_text_has_contrast_in_light_and_dark(browser, page):
    colours = "getComputedStyle(document.body).color + getComputedStyle(document.body).backgroundColor"
    browser.open(page, width=1280)
    assert browser.value(colours) == "rgb(26, 26, 26)rgb(255, 255, 255)"
    browser.open(page, width=1280, dark=True)
    assert browser.value(colours) == "rgb(230, 232, 234)rgb(20, 23, 26)"


def test_hostile_text_runs_nothing_and_breaks_no_layout(browser, tmp_path):
    run = HostileRun(tmp_path / "run", iterations=1).write()
    write_report(run)
    browser.said.clear()
    browser.open(run / "report.html", width=360)
    browser.value(OPEN_ALL)
    assert browser.value("typeof window.hacked") == "undefined" and browser.said == []
    assert browser.value("document.documentElement.scrollWidth") == 360
