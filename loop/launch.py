"""From a configuration and a directory to a finished run: opens everything and runs the circle."""

from pathlib import Path
from typing import Any

from analysis.ledger import Ledger
from loop.asynchronous.stream import stream_of
from loop.circle import Circle
from loop.config import Config
from loop.controller import Controller
from loop.curricula.parts import curriculum
from loop.errors import ConfigError
from loop.files import disk_guard
from loop.learning.compilation import compiling_seconds
from loop.learning.in_play import PlaysOn
from loop.learning.learner import Learner
from loop.long_lived import look_again
from loop.plugins import make
from loop.processes.crew import ALONE, Crew, leading, leads, settled
from loop.processes.records import config_of, directory_of, ledger_of
from loop.processes.sameness import require_one_run
from loop.processes.shared_author import SharedAuthor
from loop.reporting.closing import closing_lines
from loop.reporting.figures import draw_figures
from loop.reporting.progress import NoProgress, Progress, progress_for
from loop.reporting.stopwatch import Stopwatch
from loop.resuming.checkpoints import Checkpoints
from loop.resuming.interruption import Interruption
from loop.run_directory import RunDirectory, create, is_run, reopen, resume_or_start
from loop.tracking.delivery import own_trackers
from loop.tracking.mirror import Mirror
from loop.worlds.final_pool import source_of
from loop.worlds.sessions import SessionPool
from planet.catalog import Catalog, load_catalog


def launch(
    config: Config,
    path: Path,
    resume: bool = False,
    resume_if_unfinished: bool = False,
    began: float | None = None,
    crew: Crew = ALONE,
    interruption: Interruption | None = None,
) -> RunDirectory:
    """Run, or go on with a run, and print what it found; the directory it is in.

    `began` is when the program began, by `time.perf_counter`, so that its imports are counted. `crew`: the
    processes that run it together; all of them come here. `interruption` tells the caller, too, whether the
    user asked for the end; asked for in the last step, it comes with a finished run.
    """
    require_one_run(crew, config)
    config = config_of(crew, config)
    known = leading(crew, is_run(path))
    parts, author, learner, catalog = settled(crew, lambda: _made(config, known))
    directory = directory_of(crew, config, lambda: _directory(config, path, resume, resume_if_unfinished))
    progress = progress_for(config) if leads(crew) else NoProgress()
    interruption = interruption or Interruption(crew)
    try:
        with disk_guard(directory.path), ledger_of(crew, config, directory) as ledger:
            mirror = Mirror(config, directory, progress.say)
            learner = learner or make_learner(config)
            sessions = SessionPool(config.policy.rollout.max_turns)
            circle = Circle(
                config=config,
                directory=directory,
                catalog=catalog,
                author=author if crew.count == 1 else SharedAuthor(author, crew),
                learner=learner,
                checkpoints=Checkpoints(learner.store(directory.checkpoints), config),
                sessions=sessions,
                crew=crew,
                stream=stream_of(config, learner, sessions),
                stopwatch=Stopwatch(compiling_seconds, began),
                **parts,
            )
            with interruption.listening(progress.say):
                Controller(circle, ledger, mirror, progress, interruption).run()
            _finish(config, directory, ledger, mirror, progress)
    finally:
        look_again()
        progress.stop()
        directory.unlock()
    return directory


def _made(config: Config, known: bool) -> tuple[dict, Any, Learner | None, Catalog]:
    """Curriculum, author, learner and catalog: what is wrong with the configuration is told before anything
    is written. The learner of a run that is `known` waits until it is clear that the run goes on."""
    parts = curriculum(config)
    author = make("author", config.author, "author")
    own_trackers(config)
    learner = None if known else _learner_and_ledger(config)
    if config.final_pool is not None and not known:
        source_of(config)
    return parts, author, learner, load_catalog(config.catalog)


def make_learner(config: Config) -> Learner:
    """The policy that plays and learns."""
    mode = config.asynchronous
    learner = make(
        "learner",
        config.learner,
        "learner",
        config=config.policy,
        seed=config.seed,
        cache=config.cache,
        rollout_devices=mode.rollout_devices if mode is not None else 0,
    )
    if mode is not None and not isinstance(learner, PlaysOn):
        raise ConfigError(
            f"learner: {config.learner.type} cannot play while it learns; leave out asynchronous, or give it "
            "the methods in_play and begin_update"
        )
    return learner


def _learner_and_ledger(config: Config) -> Learner:
    """The learner of a new run, and the proof that the ledger of its configuration opens."""
    if config.ledger is not None:
        Ledger(config.ledger).close()
    return make_learner(config)


def _directory(config: Config, path: Path, resume: bool, resume_if_unfinished: bool) -> RunDirectory:
    if resume_if_unfinished:
        return resume_or_start(path, config)[0]
    return reopen(path, config) if resume else create(path, config)


def _finish(
    config: Config, directory: RunDirectory, ledger: Ledger, mirror: Mirror, progress: Progress
) -> None:
    """Figures, the last delivery, and the closing lines."""
    complaints = draw_figures(directory, progress.say) if config.figures else []
    directory.mark_finished()
    late = mirror.finish()
    progress.stop()
    for line in [*complaints, *([late] if late else []), "", *closing_lines(ledger, config, directory)]:
        progress.say(line)
