"""A run's sections in the order in which a reader wants them."""

from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import NamedTuple

from analysis.compare.standing import GREEDY
from analysis.report.anchors import Anchors
from analysis.report.briefs import brief_section
from analysis.report.costs import cost_section
from analysis.report.episodes import episode_list
from analysis.report.markup import Html, element, note, section, together
from analysis.report.outcome import aimed_cells, outcome_section
from analysis.report.record import Diagnosis, Iteration, RunRecord
from analysis.report.samples import Limits, diagnosed, last_test, trained
from analysis.report.settings import settings_section
from analysis.report.tested import learning_curves, test_section
from analysis.report.touched import footprint_section
from analysis.report.training import health_section
from analysis.report.verdict import run_verdict, test_sentence
from analysis.report.weakness import weakness_section
from analysis.report.worlds import world_section


def run_head(record: RunRecord) -> Html:
    """The verdict, what it rests on, and the learning curve."""
    standing = record.standing
    greedy = test_sentence(standing, GREEDY) if standing and standing.sampled != GREEDY else None
    return together(
        (
            element("p", run_verdict(standing), class_="verdict"),
            element("p", greedy) if greedy else None,
            note(
                "One run is a case study: whether its curriculum did this, controls on more seeds must say."
            ),
            learning_curves([standing]) if standing else None,
        )
        if standing
        else (element("p", run_verdict(None), class_="verdict"),)
    )


class Part(NamedTuple):
    """A part of a page that its contents lead to."""

    name: str
    place: str  # the id of its element
    body: Html


def run_parts(
    record: RunRecord, anchors: Anchors, limits: Limits, only: Collection[str] | None = None
) -> list[Part]:
    """Iteration by iteration, then the test, footprint, health, costs and configuration, if there are any.

    only: names of the parts that are wanted; None: all of them.
    """
    _place(record, anchors, limits, only)
    told = only is None or any(name.startswith("Iteration ") for name in only)
    parts: list[tuple[str, Callable[[], Html]]] = [
        *(
            (f"Iteration {i.number + 1}", partial(_iteration, record, i, anchors, limits))
            for i in (record.iterations if told else ())  # reading them takes most of a page's time
        ),
        ("Last report", partial(_last, record, anchors, limits)),
        ("Test", partial(_test, record, anchors, limits)),
        ("Footprint", partial(footprint_section, record)),
        ("Health", lambda: health_section(record.planned_health)),
        ("Costs", partial(cost_section, record)),
        ("Configuration", partial(settings_section, record)),
    ]
    bodies = [(name, make()) for name, make in parts if only is None or name in only]
    return [Part(name, anchors.name("part", name), body) for name, body in bodies if body]


def contents(parts: Iterable[Part]) -> Html:
    """Links to the parts of a page."""
    return element("nav", together(element("a", part.name, href=f"#{part.place}") for part in parts))


def placed(parts: Iterable[Part]) -> Html:
    """The parts one after the other, where their links lead."""
    return together(element("div", part.body, id=part.place) for part in parts)


def _place(record: RunRecord, anchors: Anchors, limits: Limits, only: Collection[str] | None) -> None:
    """Decide what is on the page before anything links to it."""
    if only is not None:
        return  # no iteration is told, so nothing leads anywhere
    for diagnosis in record.diagnoses:
        for episode_id in diagnosed(record, diagnosis, limits):
            anchors.place("episode", episode_id)
    for iteration in record.iterations:
        for episode_id in trained(record, iteration, limits):
            anchors.place("episode", episode_id)
        for brief in iteration.briefs:
            if brief.admitted_world_id in record.worlds:
                anchors.place("world", str(brief.admitted_world_id))


def _iteration(record: RunRecord, iteration: Iteration, anchors: Anchors, limits: Limits) -> Html:
    diagnosis = iteration.diagnosis
    return section(
        2,
        f"Iteration {iteration.number + 1}",
        _weakness(record, diagnosis, aimed_cells(iteration), anchors, limits) if diagnosis else None,
        brief_section(iteration),
        world_section(record, iteration, anchors),
        outcome_section(record, iteration),
        episode_list(
            record, anchors, "Training episodes of this iteration", trained(record, iteration, limits)
        ),
    )


def _weakness(
    record: RunRecord, diagnosis: Diagnosis, targeted: frozenset[str], anchors: Anchors, limits: Limits
) -> Html:
    ids = diagnosed(record, diagnosis, limits)
    return together(
        (
            weakness_section(record, diagnosis, targeted, anchors, limits),
            episode_list(record, anchors, f"Episodes of report {diagnosis.id}", ids),
        )
    )


def _last(record: RunRecord, anchors: Anchors, limits: Limits) -> Html:
    """The diagnosis after the last iteration, which aims at nothing any more."""
    last = [d for d in record.diagnoses if d.iteration is None]
    return together(
        section(2, "After the last iteration", _weakness(record, d, frozenset(), anchors, limits))
        for d in last
    )


def _test(record: RunRecord, anchors: Anchors, limits: Limits) -> Html:
    if record.standing is None:
        return Html("")
    samples = episode_list(record, anchors, "Greedy test episodes", last_test(record, limits))
    return test_section(record.standing, samples)
