"""Compiled programs are kept between processes: compiling again would cost more than a short run."""

from pathlib import Path

from loop.config import Config


def use_compilation_cache(config: Config) -> None:
    """Let JAX keep its programs in the configured folder, or beside the warm starts."""
    import jax

    folder = Path(config.policy.compilation_cache or config.cache / "xla").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
