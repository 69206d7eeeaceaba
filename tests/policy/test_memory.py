"""What programs free is reused."""

import sys

import pytest

from policy.memory import keep_freed_memory


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the setting is one of glibc")
def test_the_c_library_takes_the_settings() -> None:
    assert keep_freed_memory()
