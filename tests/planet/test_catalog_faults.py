"""What is wrong with a catalog is said in one line: file, entry, value, remedy."""

from pathlib import Path
from typing import Any

import pytest

from planet.catalog import load_catalog
from planet.errors import CatalogError
from tests.planet.overlays import BANKING, ELBONIA, LAB, changed, column, lab, overlaid, sample

COLUMNS = LAB["resources"][0]["columns"]
SAMPLE = "services/lab.yaml: resource sample"
FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key of a kind": (
        lab(titel="x"),
        "services/lab.yaml: unknown key 'titel'; did you mean 'title'?",
    ),
    "mistyped key before a missing one": (
        sample(label=None, lable="name"),
        f"{SAMPLE}: unknown key 'lable'; did you mean 'label'?",
    ),
    "unknown key of a column": (
        column(1, valeus=["x"]),
        f"{SAMPLE}: column status: unknown key 'valeus'; did you mean 'values'?",
    ),
    "service written down": (
        sample(service="lab"),
        f"{SAMPLE}: unknown key 'service'; the file's kind owns it",
    ),
    "missing key": (sample(columns=None), f"{SAMPLE}: key 'columns' is missing; add it"),
    "unknown type": (
        column(0, type="txt"),
        f"{SAMPLE}: column name: type 'txt' is not known; did you mean 'text'?",
    ),
    "scalar for a list": (lab(resources="x"), "services/lab.yaml: resources must be a list, not 'x'"),
    "scalar for an entry": (
        lab(resources=["x"]),
        "services/lab.yaml: resource: entry 1 must be a mapping of keys to values, not 'x'",
    ),
    "yes and no": (
        column(1, values=["new", True]),
        f"{SAMPLE}: column status: values: entry 2 must be text in quotes, not True",
    ),
    "text for a number": (column(2, low="a"), f"{SAMPLE}: column mass: low must be a number, not 'a'"),
    "text for true": (sample(tools="perhaps"), f"{SAMPLE}: tools must be true or false, not 'perhaps'"),
    "list as default": (
        column(2, default=[1]),
        f"{SAMPLE}: column mass: default: it must be text, a number, true or false, not [1]; change or",
    ),
    "file of another kind": (
        lab(kind="labs"),
        "services/lab.yaml: kind is 'labs'; rename the file to labs.yaml or write kind: lab",
    ),
    "no kind": (lab(kind=None), "services/lab.yaml: key 'kind' is missing; write kind: lab"),
    "long resource name": (
        sample(name="set_of_tests"),
        "services/lab.yaml: resource set_of_tests: resource 'set_of_tests' has more than 2 words; shorten",
    ),
    "camel case": (
        column(2, name="dryMass"),
        f"{SAMPLE}: column 'dryMass' is not snake_case; write e.g. dry_mass",
    ),
    "word of SQL": (
        sample(name="order"),
        "services/lab.yaml: resource order: resource 'order' is a word of SQL; write e.g. order_resource",
    ),
    "column of SQL": (
        column(2, name="limit"),
        f"{SAMPLE}: column 'limit' is a word of SQL; write e.g. limit_column",
    ),
    "prefix in small letters": (
        sample(prefix="sam"),
        f"{SAMPLE}: prefix 'sam' is not 2 to 4 capitals; write e.g. INV",
    ),
    "prefix of another": (sample(prefix="INV"), f"{SAMPLE}: prefix 'INV' belongs to invoice; choose another"),
    "name of another": (
        sample(name="invoice"),
        "services/lab.yaml: resource invoice: service billing has a resource of this name; choose another",
    ),
    "id column": (column(2, name="id"), f"{SAMPLE}: column id: the id column is implied; remove it"),
    "column twice": (column(2, name="name"), f"{SAMPLE}: column 'name' stands twice; rename one"),
    "label missing": (
        sample(label="nam"),
        f"{SAMPLE}: label 'nam' is no text column of it; did you mean 'name'?",
    ),
    "status no enum": (
        sample(status="mass"),
        f"{SAMPLE}: status 'mass' is no enum column of it; valid are status",
    ),
    "values of an int": (
        column(2, values=["a"]),
        f"{SAMPLE}: column mass: values means nothing for type int; remove it",
    ),
    "pool of an enum": (
        column(1, pool="city"),
        f"{SAMPLE}: column status: pool means nothing for type enum; remove it",
    ),
    "one value": (
        column(1, values=["new"]),
        f"{SAMPLE}: column status: an enum needs at least two values, not ['new']; add some",
    ),
    "value twice": (
        column(1, values=["new", "new"]),
        f"{SAMPLE}: column status: an enum value stands twice in ['new', 'new']; remove one",
    ),
    "value with a space": (
        column(1, values=["new", "in work"]),
        f"{SAMPLE}: column status: enum value 'in work' is not snake_case; write e.g. in_progress",
    ),
    "reference to nothing": (
        column(3, ref=None),
        f"{SAMPLE}: column customer_id: key 'ref' is missing; name the resource that it refers to",
    ),
    "reference to the unknown": (
        column(3, ref="custmer"),
        f"{SAMPLE}: column customer_id: no resource 'custmer' to refer to; did you mean 'customer'?",
    ),
    "reference to itself": (
        column(3, ref="sample"),
        f"{SAMPLE}: references go in a circle, sample -> sample; remove one of them",
    ),
    "no pool": (
        column(0, pool=None),
        f"{SAMPLE}: column name: key 'pool' is missing; name the text pool to draw from; valid are address,",
    ),
    "unknown pool": (
        column(0, pool="prodct"),
        f"{SAMPLE}: column name: no text pool 'prodct'; did you mean 'product'?",
    ),
    "bounds": (
        column(2, low=90, high=1),
        f"{SAMPLE}: column mass: low 90 is not below high 1; exchange or widen them",
    ),
    "broken bounds": (
        column(2, low=0.5),
        f"{SAMPLE}: column mass: bounds 0.5 to 90 of an int must be whole; round them",
    ),
    "endless bounds": (
        column(2, high=float("inf")),
        f"{SAMPLE}: column mass: bounds 1 to inf are not finite; write numbers",
    ),
    "default that is no value": (
        column(1, default="nwe"),
        f"{SAMPLE}: column status: default 'nwe' does not fit type enum; did you mean 'new'?",
    ),
    "default out of bounds": (
        column(2, default=91),
        f"{SAMPLE}: column mass: default 91 does not fit type int; change or remove it",
    ),
    "unique number": (
        column(2, unique=True),
        f"{SAMPLE}: column mass: unique is for text columns, not for type int; remove it",
    ),
    "unique reference": (
        column(3, unique=True),
        f"{SAMPLE}: column customer_id: unique is for text columns, not for type ref; remove it",
    ),
    "reference of another name": (
        column(3, name="buyer_id"),
        f"{SAMPLE}: column 'buyer_id' refers to 'customer'; call it customer_id",
    ),
    "second reference": (
        sample(columns=[*COLUMNS, {"name": "payer_id", "type": "ref", "ref": "customer"}]),
        f"{SAMPLE}: columns 'customer_id' and 'payer_id' refer to 'customer', which can be ",
    ),
    "default of a unique column": (
        column(0, default="New", unique=True),
        f"{SAMPLE}: column name: default 'New' of a unique column fits one row only; remove one of the two",
    ),
    "unknown service of an industry": (
        {"industries.yaml": [changed(BANKING, services={"finanze": 1.0})]},
        "industries.yaml: industry banking: no kind of service 'finanze'; did you mean 'finance'?",
    ),
    "weight": (
        {"industries.yaml": [changed(BANKING, services={"finance": 1.5})]},
        "industries.yaml: industry banking: weight 1.5 of finance is no chance; write one in (0, 1]",
    ),
    "no services": (
        {"industries.yaml": [changed(BANKING, services={})]},
        "industries.yaml: industry banking: has no services; add e.g. services: {crm: 0.9}",
    ),
    "industry twice": (
        {"industries.yaml": [BANKING, BANKING]},
        "industries.yaml: industry banking: industry 'banking' stands twice; remove one or rename it",
    ),
    "slot without a part": (
        {"industries.yaml": [changed(BANKING, "descriptions", forms=["Lends to {whom}."])]},
        "industries.yaml: industry banking: descriptions: no part fills '{whom}'; did you mean 'who'?",
    ),
    "part without a slot": (
        {"industries.yaml": [changed(BANKING, "descriptions", forms=["Lends."])]},
        "industries.yaml: industry banking: descriptions: part 'who' is in no form; there is none to choose",
    ),
    "no forms": (
        {"pools.yaml": {"tree": {"forms": []}}},
        "pools.yaml: pool tree: has no forms; add e.g. forms: ['{given} {family}']",
    ),
    "empty part": (
        {"pools.yaml": {"tree": {"forms": ["{kind}"], "parts": {"kind": []}}}},
        "pools.yaml: pool tree: part 'kind': is empty; add texts or remove it",
    ),
    "quotes in a text": (
        {"pools.yaml": {"tree": {"forms": ['The "Oak"']}}},
        "pools.yaml: pool tree: forms: text 'The \"Oak\"' is blank or has quotes, braces or lines; reword it",
    ),
    "pool that is a list": (
        {"pools.yaml": {"tree": ["oak"]}},
        "pools.yaml: pool tree: the entry must be a mapping of keys to values, not ['oak']",
    ),
    "currency": (
        {"countries.yaml": [changed(ELBONIA, currency="euro")]},
        "countries.yaml: country XE: currency 'euro' is malformed; write e.g. BRL",
    ),
    "locale": (
        {"countries.yaml": [changed(ELBONIA, locale="en-XE")]},
        "countries.yaml: country XE: locale 'en-XE' is malformed; write e.g. pt_BR",
    ),
    "time zone": (
        {"countries.yaml": [changed(ELBONIA, time_zones=["../../etc/passwd"])]},
        "countries.yaml: country XE: time zone '../../etc/passwd' is malformed; write e.g. America/Sao_Paulo",
    ),
    "a character that controls a terminal": (
        {"pools.yaml": {"tree": {"forms": ["Oak\a"]}}},
        "pools.yaml: pool tree: forms: text 'Oak\\x07' is blank or has quotes, braces or lines; reword it",
    ),
    "a date that is none": (
        {"services/lab.yaml": "kind: 2020-13-45\n"},
        "services/lab.yaml: not valid YAML: '2020-13-45' is no value of its kind; put it in quotes at line 1",
    ),
    "no cities": (
        {"countries.yaml": [changed(ELBONIA, cities=[])]},
        "countries.yaml: country XE: cities: is empty; add texts or remove it",
    ),
    "Norway": (
        {"countries.yaml": "- code: NO\n"},
        "countries.yaml: entry 1 has no code in text; write code: ... and quote it",
    ),
    "mapping for a list": (
        {"industries.yaml": {"a": 1}},
        "industries.yaml: must be a list of entries, each with a name, not a mapping",
    ),
    "list for a mapping": (
        {"services/lab.yaml": ["a"]},
        "services/lab.yaml: must be a mapping of keys to values, not a list",
    ),
    "empty file": (
        {"services/lab.yaml": ""},
        "services/lab.yaml: must be a mapping of keys to values, not nothing",
    ),
    "key twice": (
        {"services/lab.yaml": "kind: lab\nkind: lab\n"},
        "services/lab.yaml: not valid YAML: key 'kind' stands twice at line 2, column 1",
    ),
    "broken YAML": (
        {"services/lab.yaml": "a: [b"},
        "services/lab.yaml: not valid YAML: while parsing a flow sequence",
    ),
    "tag that would run code": (
        {"pools.yaml": "!!python/object/apply:os.getcwd []"},
        "pools.yaml: not valid YAML: could not determine a constructor for the tag",
    ),
    "no text": (
        {"pools.yaml": b"\xff\xfe"},
        "pools.yaml: cannot be read: 'utf-8' codec can't decode byte 0xff",
    ),
    "misspelt file": (
        {"industry.yaml": []},
        "industry.yaml: not a catalog file; did you mean 'industries.yaml'?",
    ),
    "misspelt folder": (
        {"service/lab.yaml": LAB},
        "service/lab.yaml: not a catalog file; did you mean 'services/<kind>.yaml'?",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_its_place_and_remedy(fault: str, tmp_path: Path):
    files, message = FAULTS[fault]
    with pytest.raises(CatalogError) as raised:
        overlaid(tmp_path, files)
    line = str(raised.value)
    assert line.startswith(f"{tmp_path}/{message}")
    assert "\n" not in line


def test_a_circle_of_optional_references_is_refused_and_spelt_out(tmp_path: Path):
    one = LAB["resources"][0]
    other = changed(one, name="probe", prefix="PRB")
    one = changed(one, "columns", 3, name="probe_id", ref="probe")
    other["columns"][3] = {"name": "sample_id", "type": "ref", "ref": "sample"}
    with pytest.raises(
        CatalogError,
        match=r"references go in a circle, (sample -> probe -> sample|probe -> sample -> probe);",
    ):
        overlaid(tmp_path, lab(resources=[one, other]))


def test_replacing_a_service_may_not_leave_references_dangling(tmp_path: Path):
    with pytest.raises(CatalogError, match=r"^services/.*no resource 'customer' to refer to; "):
        overlaid(tmp_path, {"services/crm.yaml": changed(LAB, kind="crm", resources=[])})


def test_a_folder_without_catalog_files_is_no_overlay(tmp_path: Path):
    with pytest.raises(
        CatalogError, match=r"is empty; it needs services/\*\.yaml or one of industries\.yaml"
    ):
        load_catalog(tmp_path)
    with pytest.raises(CatalogError, match="missing is not a folder; give one that holds services/"):
        load_catalog(tmp_path / "missing")
