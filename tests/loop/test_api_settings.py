"""The defaults of a model behind an interface stand in its settings; whatever repeats them agrees."""

import inspect
import re
from argparse import ArgumentParser

import pytest

from loop.learning.api.demonstrator import ApiDemonstrator
from loop.learning.api.learner import ApiLearner
from loop.learning.api.options import add_options
from loop.learning.api.settings import ApiSettings

OWN = {"self", "model", "config", "seed", "tasks", "tries", "temperature"}
"""Arguments of the two that are no settings, or have no default."""


@pytest.mark.parametrize("made", [ApiLearner, ApiDemonstrator])
def test_every_setting_is_a_parameter_with_the_default_of_the_settings(made: type) -> None:
    given = {n: p.default for n, p in inspect.signature(made.__init__).parameters.items() if n not in OWN}
    given["budget"] = given["budget"] or {}
    settings = ApiSettings(model="x")
    assert given.keys() == ApiSettings.model_fields.keys() - {"model"}
    assert ApiSettings(model="x", **given) == settings


def test_the_help_tells_the_defaults_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ApiSettings.model_fields["timeout"], "default", 7.5)
    parser = ArgumentParser()
    add_options(parser)
    told = re.sub(r"\s+", " ", parser.format_help())
    assert "seconds for one answer (default 7.5)" in told
    assert "episodes at a time (default 8)" in told
    assert "of one answer (default 4096)" in told
    assert "further requests after a failed one (default 4)" in told
    assert "folder in which answers are kept (default .cache/policies)" in told
