"""A stand-in for Ray, which few environments have: joblib's backend "ray" becomes threads."""

import sys
from types import ModuleType
from typing import Any

import joblib
import pytest


def pretend_ray(monkeypatch: pytest.MonkeyPatch, address: str | None = None) -> list[dict[str, Any]]:
    """Install it, with RAY_ADDRESS as given; what `ray.init` will have been asked for."""
    asked: list[dict[str, Any]] = []
    ray: Any = ModuleType("ray")
    bridge: Any = ModuleType("ray.util.joblib")
    ray.is_initialized, ray.init = (lambda: False), (lambda **given: asked.append(given))
    bridge.register_ray = lambda: joblib.register_parallel_backend("ray", joblib.parallel.ThreadingBackend)
    for module in (ray, ModuleType("ray.util"), bridge):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(joblib.parallel, "BACKENDS", dict(joblib.parallel.BACKENDS))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    if address:
        monkeypatch.setenv("RAY_ADDRESS", address)
    return asked
