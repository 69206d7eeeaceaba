"""Report transforms change what a control needs changed, and nothing else."""

import json
from collections import Counter

import pytest

from analysis.weakness import WeaknessReport
from analysis.weakness.report import weakest_first
from loop.curricula.reports.placebo import Permute, exchanged, strata
from loop.curricula.reports.transforms import AsMeasured, Enrich, Freeze, Invert
from planet.catalog import load_catalog
from tests.loop.reports import cell, report

SERVICES = {name: resource.service for name, resource in load_catalog().resources.items()}
FAMILIES = ("update", "create", "two_hop", "lookup", "disambiguate", "conditional", "propagate", "repair")
RESOURCES = tuple(name for name, resource in load_catalog().resources.items() if resource.tools)[:20]


def measured() -> WeaknessReport:
    """Eight families and twenty resources with tools, services and a pair, with counts of their own."""
    families = [cell(f"family:{name}", 2 + n, 20 + n) for n, name in enumerate(FAMILIES)]
    resources = [cell(f"resource:{name}", 1 + n % 7, 10 + n) for n, name in enumerate(RESOURCES)]
    tools = [cell(f"tool:update_{name}", 1 + n % 5, 10 + n) for n, name in enumerate(RESOURCES)]
    services = sorted({SERVICES[name] for name in RESOURCES})
    owned = [cell(f"service:{name}", 3, 30 + n) for n, name in enumerate(services)]
    pairs = [cell(f"pair:{services[0]}>{services[1]}", 2, 9)]
    others = [cell("hops:1", 4, 30), cell("operation:update", 9, 60), cell("tool:search_documents", 2, 12)]
    cells = [*families, *resources, *tools, *owned, *pairs, *others]
    return report(*sorted(cells, key=weakest_first))


def names(told: WeaknessReport, facet: str) -> set[str]:
    return {c.value for c in told.cells if c.facet == facet}


def test_as_measured_is_the_report_itself() -> None:
    assert AsMeasured().apply(measured(), SERVICES, seed=1) == measured()


@pytest.mark.parametrize("seed", range(8))
def test_the_placebo_leaves_no_family_and_no_resource_its_name_and_loses_none(seed: int) -> None:
    moved = exchanged(measured(), SERVICES, seed)
    for facet in ("family", "resource"):
        assert all(old != new for old, new in moved[facet].items())
        assert set(moved[facet]) == set(moved[facet].values()) == names(measured(), facet)


@pytest.mark.parametrize("seed", range(8))
def test_the_placebo_keeps_all_counts_and_every_other_facet(seed: int) -> None:
    before, after = measured(), Permute().apply(measured(), SERVICES, seed)
    counts = [Counter((c.facet, c.opportunities, c.failures) for c in told.cells) for told in (before, after)]
    assert counts[0] == counts[1]
    for name in ("hops:1", "operation:update", "tool:search_documents"):
        assert after.cell(name) == before.cell(name)
    assert list(after.cells) == sorted(after.cells, key=weakest_first)
    assert len({c.name for c in after.cells}) == len(before.cells)


def test_resources_trade_places_with_those_met_about_as_often() -> None:
    cells = [c for c in measured().cells if c.facet == "resource"]
    groups = strata(cells)
    assert [len(group) for group in groups] == [6, 7, 7]  # twenty, cut at 6 and 13
    assert max(c.opportunities for c in groups[0]) <= min(c.opportunities for c in groups[1])
    stratum = {c.value: number for number, group in enumerate(groups) for c in group}
    moved = exchanged(measured(), SERVICES, 3)["resource"]
    assert all(stratum[old] == stratum[new] for old, new in moved.items())


@pytest.mark.parametrize(("count", "sizes"), [(8, [8]), (13, [8, 5]), (15, [5, 5, 5]), (4, [4]), (1, [1])])
def test_strata_of_fewer_than_five_cells_are_merged(count: int, sizes: list[int]) -> None:
    assert [len(g) for g in strata([cell(f"family:f{n:02d}", 1, 10 + n) for n in range(count)])] == sizes


def test_a_lone_cell_keeps_its_name_because_there_is_no_other() -> None:
    assert exchanged(report(cell("family:update", 2, 20)), SERVICES, 1)["family"] == {"update": "update"}


def test_tools_follow_their_resource_and_pairs_their_services() -> None:
    before, seed = measured(), 5
    moved, after = exchanged(before, SERVICES, seed), Permute().apply(before, SERVICES, seed)
    for n, name in enumerate(RESOURCES):
        found = after.cell(f"tool:update_{moved['resource'][name]}")
        assert found is not None and found.opportunities == 10 + n
    pair = next(c for c in before.cells if c.facet == "pair")
    source, target = (moved["service"][service] for service in pair.value.split(">"))
    assert after.cell(f"pair:{source}>{target}") is not None
    assert set(moved["service"].values()) == names(before, "service")


@pytest.mark.parametrize("seed", range(8))
def test_services_follow_the_resources_that_they_own(seed: int) -> None:
    owner = {f"r{n}": f"s{n // 2}" for n in range(6)}  # three services of two resources each
    resources = [cell(f"resource:r{n}", 1, 10) for n in range(6)]
    services = [cell(f"service:s{n}", 1, 20) for n in range(3)]
    moved = exchanged(report(*resources, *services), owner, seed)
    flow = Counter((owner[old], owner[new]) for old, new in moved["resource"].items())
    assert sorted(moved["service"].values()) == ["s0", "s1", "s2"]
    old, new = min(flow, key=lambda pair: (-flow[pair], pair))  # the most resources, then by name
    assert moved["service"][old] == new


def test_every_iteration_draws_another_placebo_and_equal_seeds_the_same() -> None:
    one, again, other = (exchanged(measured(), SERVICES, seed) for seed in (1, 1, 2))
    assert one == again != other


def test_a_frozen_report_stays_the_first_also_after_a_resume() -> None:
    first, later = report(cell("family:a", 5, 20)), report(cell("family:a", 1, 20))
    frozen = Freeze()
    assert frozen.apply(first, {}, 1) == first and frozen.apply(later, {}, 2) == first
    resumed = Freeze()
    resumed.load_state_dict(json.loads(json.dumps(frozen.state_dict())))
    assert resumed.apply(later, {}, 3) == first
    fresh = Freeze()
    fresh.load_state_dict(Freeze().state_dict())
    assert fresh.apply(later, {}, 3) == later


def test_an_inverted_report_ranks_the_strongest_first_and_inverts_what_briefs_are_weighed_by() -> None:
    told = report(cell("family:weak", 30, 40, 0.2), cell("family:strong", 4, 40, 0.05))
    inverted = Invert().apply(told, {}, 1)
    strong = inverted.cells[0]
    assert (strong.name, strong.failures, strong.rate) == ("family:strong", 36, 0.9)
    assert strong.posterior_mean == pytest.approx(0.9) and strong.learnability == pytest.approx(0.2)
    assert strong.wilson_low > inverted.cells[1].wilson_low
    assert Invert().apply(inverted, {}, 1).cells[0].name == "family:weak"


def test_an_enriched_report_asks_for_fifty_times_the_probes() -> None:
    assert Enrich().probes == 50 and AsMeasured().probes == Freeze().probes == Permute().probes == 1
    with pytest.raises(ValueError, match="probes=0 is below 1"):
        Enrich(probes=0)
