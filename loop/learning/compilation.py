"""Compiled programs are kept between processes: compiling again would cost more than a short run."""

from pathlib import Path


def keep_programs(folder: Path) -> None:
    """Let JAX keep its compiled programs in a folder."""
    import jax

    folder.mkdir(parents=True, exist_ok=True)
    jax.config.update("jax_compilation_cache_dir", str(folder.resolve()))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
