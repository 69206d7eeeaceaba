"""Compiled programs are kept between processes: compiling again would cost more than a short run."""

from functools import cache
from pathlib import Path

_seconds = 0.0


def keep_programs(folder: Path) -> None:
    """Let JAX keep its compiled programs in a folder."""
    import jax

    folder.mkdir(parents=True, exist_ok=True)
    jax.config.update("jax_compilation_cache_dir", str(folder.resolve()))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)


def compiling_seconds() -> float:
    """Seconds that this process has spent on tracing and compiling, counted from the first call on."""
    _listen()
    return _seconds


@cache
def _listen() -> None:
    import jax

    jax.monitoring.register_event_duration_secs_listener(_heard)


def _heard(event: str, duration_secs: float, **_: object) -> None:
    global _seconds
    if event.startswith("/jax/core/compile/"):
        _seconds += duration_secs
