"""What a page is built of: escaped text, tables, charts, places."""

import pytest

from analysis.intervals import Interval
from analysis.report.anchors import Anchors
from analysis.report.charts import Series, line_chart, rate_bar, rate_text, ticks
from analysis.report.markup import Html, cut, element, table, text, together
from tests.analysis.page_reader import Page


def test_text_becomes_markup_by_escaping_alone():
    assert text("<b>&\"'") == "&lt;b&gt;&amp;&quot;&#x27;"
    assert text(Html("<b>")) == "<b>"
    assert element("p", "<i>", element("b", "&"), None) == "<p>&lt;i&gt;<b>&amp;</b></p>"


def test_parts_that_are_none_leave_no_trace():
    assert together(["a", None, "<"], "-") == "a-&lt;" and together([None]) == ""


def test_a_rate_without_an_interval_has_no_whisker():
    known, alone = Interval(0.5, 0.4, 0.6), Interval(0.5, 0.5, 0.5)
    assert rate_text(known) == "50% [40%, 60%]" and rate_text(alone) == "50%"
    assert "whisker" in rate_bar(known, "c") and "whisker" not in rate_bar(alone, "c")


def test_characters_that_no_page_may_hold_are_replaced():
    assert text("a\x00b\x1bc\ud83dd\n") == "a\ufffdb\ufffdc\ufffdd\n"
    assert text("a\x00\ud83d").encode("utf-8")


def test_attributes_are_escaped_and_absent_ones_are_left_out():
    made = element("a", class_='x" onload="y', aria_label="l", hidden=True, id=None, open=False)
    assert made == '<a class="x&quot; onload=&quot;y" aria-label="l" hidden></a>'


def test_a_long_value_is_cut_and_says_so():
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdefg", 6) == "abcdef … (1 characters more)"


def test_a_table_tells_words_from_numbers():
    read = Page(table(("name", "n"), [("<x>", 1)]))
    assert [a.get("class") for a in read.all("td")] == ["words", None]
    assert "<x>" in read.texts["words"] and read.all("div")[0]["class"] == "scroll"


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 0.6, [0, 0.2, 0.4, 0.6]), (0, 66, [0, 20, 40, 60]), (-0.5, 1, [-0.5, 0, 0.5, 1])],
)
def test_ticks_are_round_and_inside(low, high, expected):
    assert ticks(low, high) == pytest.approx(expected)


def test_a_line_goes_from_corner_to_corner_and_breaks_nowhere():
    # the plot is 360 - 44 - 18 wide and 200 - 8 - 34 high, from (44, 166) to (342, 8)
    chart = line_chart("t", [Series("a", [0, 5, 10], [0.0, None, 1.0])], "x")
    assert 'points="44.0,166.0 342.0,8.0"' in chart
    assert line_chart("t", [Series("a", [0], [None])], "x") == ""


def test_what_a_trainer_that_diverges_measures_is_not_drawn():
    inf, nan = float("inf"), float("nan")
    chart = line_chart("t", [Series("a", [0, 1, 2, 3, 10], [0.0, inf, nan, -inf, 1.0])], "x")
    assert 'points="44.0,166.0 342.0,8.0"' in chart and "nan" not in chart and "inf" not in chart
    assert line_chart("t", [Series("a", [0, 1], [inf, nan])], "x") == ""
    banded = line_chart("t", [Series("a", [0, 1], [0.0, 1.0], [0.0, -inf], [0.0, inf])], "x")
    assert "polyline" in banded and "polygon" not in banded


def test_a_single_point_and_a_flat_line_are_drawn():
    assert "polyline" in line_chart("t", [Series("a", [3], [0.0])], "x")
    assert "polyline" in line_chart("t", [Series("a", [1, 2], [0.0, 0.0])], "x", share=True)


def test_a_bar_is_as_long_as_its_rate():
    bar = rate_bar(Interval(0.5, 0.25, 1.0), "family:<x>")
    # of 96 units from 2 on: 48 for the bar, the whisker from 2 + 24 to 2 + 96
    assert 'width="48.0"' in bar and "M26.0 8H98.0" in bar
    assert "family:&lt;x&gt;: 50% [25%, 100%]" in bar


def test_different_things_have_different_places():
    anchors = Anchors("run")
    assert anchors.name("episode", "s1/p0") != anchors.name("episode", "s1-p0")
    assert anchors.name("episode", "x") != Anchors("run1").name("episode", "x")
    anchors.place("episode", "x")
    assert anchors.link("episode", "x", "1") == '<a href="#run-episode-x">1</a>'
    assert anchors.link("episode", "y", "2") == "<span>2</span>"
