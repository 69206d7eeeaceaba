"""What the project says of itself holds, and it speaks of nothing else."""

import re
import subprocess
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / line for line in listed.splitlines() if (ROOT / line).is_file()]


def test_no_file_holds_an_absolute_home_or_a_download_address() -> None:
    pattern = re.compile(r"/(?:home|root|Users)/\w|https?://\S+\.(?:whl|tar\.gz|tgz)")
    for path in tracked():
        if path != Path(__file__) and path.suffix in {
            ".py",
            ".md",
            ".yaml",
            ".toml",
            ".txt",
            ".cff",
            ".sh",
            "",
        }:
            found = pattern.search(path.read_text(encoding="utf-8", errors="ignore"))
            assert not found, f"{path.relative_to(ROOT)}: {found.group(0) if found else ''}"


def test_constraints_are_plain_pins() -> None:
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert line.startswith("#") or re.fullmatch(r"[A-Za-z0-9._-]+==[\w.]+", line), line


def test_every_local_link_of_the_documentation_leads_somewhere() -> None:
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}, which does not exist"


def test_every_experiment_opens_with_purpose_cost_and_expected_outcome() -> None:
    files = sorted((ROOT / "experiments").glob("*.yaml"))
    assert files
    for path in files:
        text = path.read_text(encoding="utf-8")
        head = [line for line in text.splitlines() if line.startswith("#")]
        for word in ("Purpose:", "Cost:", "Expected:"):
            assert any(word in line for line in head), f"{path.name} does not say its {word}"
        assert isinstance(yaml.safe_load(text), dict)
