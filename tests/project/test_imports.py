"""The import law: data flows one way, and light things import light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ALLOWED = {
    "planet": {"planet"},
    "policy": {"planet", "policy"},
    "analysis": {"planet", "analysis"},
    "loop": {"planet", "policy", "analysis", "loop"},
}
"""Package -> packages of this project that it may import."""
FORBIDDEN = {
    "planet": {"jax", "flax", "optax", "orbax", "mlflow"},
    "policy": {"mlflow", "sqlalchemy", "litellm"},
    "analysis": {"jax", "flax", "optax", "orbax", "mlflow", "litellm"},
}
POLICY_MAY_SEE = (
    "planet.records.view",
    "planet.records.episode",
    "planet.records.frozen",
    "planet.identity",
    "planet.errors",
    "planet.strict_json",
    "planet.command",
)
"""All of PLANET that a policy imports: what only the grader may know lives elsewhere."""
HEAVY = ("jax", "flax", "optax", "orbax", "mlflow", "litellm", "sklearn", "matplotlib", "scipy", "pandas",
         "joblib", "rich")  # fmt: skip


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imports(path: Path) -> set[str]:
    """Full names of everything a module imports, at any depth."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively; name the module in full"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("package", sorted(ALLOWED))
def test_a_package_imports_only_what_lies_below_it(package: str) -> None:
    for path in modules(package):
        tops = {name.split(".")[0] for name in imports(path)}
        assert tops & set(ALLOWED) <= ALLOWED[package], f"{path.relative_to(ROOT)} imports upwards"
        assert not tops & FORBIDDEN.get(package, set()), (
            f"{path.relative_to(ROOT)} imports what {package} must not"
        )


def test_a_policy_cannot_import_what_only_the_grader_may_know() -> None:
    for path in modules("policy"):
        for name in imports(path):
            if name.split(".")[0] == "planet":
                assert name.startswith(POLICY_MAY_SEE), f"{path.relative_to(ROOT)} imports {name}"


def test_no_modules_import_each_other_in_a_cycle() -> None:
    names = {
        p: ".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for k in ALLOWED
        for p in modules(k)
    }
    known = set(names.values())
    graph = {
        name: {t for t in map(lambda i: _module(i, known), _at_import(path)) if t and t != name}
        for path, name in names.items()
    }
    done: set[str] = set()
    for start in graph:
        _walk(start, graph, [], done)


def _walk(name: str, graph: dict[str, set[str]], above: list[str], done: set[str]) -> None:
    assert name not in above, " -> ".join([*above[above.index(name) :], name])
    if name in done:
        return
    for target in sorted(graph[name]):
        _walk(target, graph, [*above, name], done)
    done.add(name)


def _module(imported: str, known: set[str]) -> str | None:
    """The module of the project that an import names, or None."""
    if imported in known:
        return imported
    parent = imported.rpartition(".")[0]
    return parent if parent in known else None


def _at_import(path: Path) -> set[str]:
    """Imports executed when the module is imported: those at its top, type checking apart."""
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize(
    "module",
    [
        "planet.records.world",
        "planet.records.task",
        "planet.records.episode",
        "policy.config",
        "loop.config",
        "analysis.ledger",
    ],
)
def test_light_modules_load_no_heavy_library(module: str) -> None:
    code = f"import sys, {module}; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == ""


COMMANDS = sorted(
    ".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__")
    for package in ALLOWED
    for p in modules(package)
    if 'if __name__ == "__main__"' in p.read_text(encoding="utf-8") or p.name == "__main__.py"
)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_printed_without_heavy_libraries(command: str) -> None:
    code = (
        "import sys, runpy, atexit\n"
        f"atexit.register(lambda: print('HEAVY', *sorted(set({HEAVY!r}) & set(sys.modules))))\n"
        f"sys.argv = ['x', '--help']; runpy.run_module({command!r}, run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stdout.startswith(f"usage: python -m {command}")
    assert done.stdout.strip().endswith("HEAVY"), (
        f"{command} --help loads {done.stdout.rsplit('HEAVY', 1)[1]}"
    )
