"""What a run will cost, before it is run: `--dry-run`."""

from dataclasses import dataclass

from loop.config import Config
from loop.memory_plan import most, where
from loop.plugins import REGISTRY, locate, make
from loop.reporting.pace import guesses, size
from loop.reporting.progress import span
from loop.resuming.steps import Step, steps_of
from planet.author.artifacts import AuthorCost
from policy.memory_plan import stored_bytes

LEDGER_BYTES_PER_EPISODE = 3_500
"""An episode with its calls and evidence, as measured."""
LEDGER_BYTES_PER_TASK = 3_000
"""A task with its facets, cells and plan, as measured."""
WORLD_BYTES = 135_000
"""A compact world with database, tasks and keys in the run directory, as measured."""
CALLS_PER_EPISODE = 4
"""Tool calls of an average episode; the bound is `policy.rollout.max_turns`."""
LINKS = 5
"""Links of PLANET that an author proposes for one world."""


@dataclass(frozen=True)
class Costs:
    """Counts of one run. Ranges go from the expected to the largest possible."""

    updates: int
    train_episodes: tuple[int, int]  # without and with every group refilled that the gate may drop
    diagnose_episodes: int
    evaluation_episodes: int  # validation and test
    repeated_episodes: int  # of these, those of a model behind an interface that ask it nothing new
    env_steps: tuple[int, int]  # of all episodes, audits apart
    worlds: tuple[int, int]  # before and after growth
    syntheses: int  # of grown worlds, at most
    author_calls: int  # model calls, about, without repairs; 0 for an author without a model
    tokens: int  # of these calls, in and out; 0 where it is not known
    dollars: float  # of these calls; 0.0 where the configuration names no price
    disk_bytes: int
    seconds: float | None  # on two CPU cores; None: nothing like its decoder was measured


def costs(config: Config) -> Costs:
    """The costs that follow from a configuration."""
    sizes, settings = config.splits, config.evaluation
    steps = steps_of(config)
    count = {
        kind: sum(step.kind == kind for step in steps) for kind in ("update", "diagnose", "validate", "test")
    }
    train = count["update"] * config.prompts_per_update * config.group_size
    tasks = config.tasks_per_world
    diagnosis = sizes.diagnose * tasks * settings.diagnose_rollouts
    unkept = config.iterations * config.curriculum.further_probes * diagnosis  # counted, not recorded
    diagnose = count["diagnose"] * diagnosis + unkept
    test_worlds = sizes.tests
    evaluation = count["validate"] * sizes.validation * tasks * settings.validate_rollouts
    test = test_worlds * tasks * (settings.test_rollouts + 1)
    evaluation += count["test"] * test
    before = sizes.foundation + sizes.train + sizes.diagnose + sizes.validation + test_worlds
    asked = config.iterations * config.growth.quota if config.curriculum.grows else 0
    grown = asked if config.curriculum.makes_worlds else 0
    syntheses = config.iterations * config.growth.attempts if config.curriculum.makes_worlds else 0
    author = author_cost(config, before + syntheses)
    episodes = train + diagnose + evaluation
    checkpoints = config.keep_checkpoints + config.iterations + 1
    refilled = train if _may_drop(config) else 0
    return Costs(
        updates=count["update"],
        train_episodes=(train, train + refilled),
        diagnose_episodes=diagnose,
        evaluation_episodes=evaluation,
        repeated_episodes=test if _answers_are_kept(config) else 0,
        env_steps=(
            CALLS_PER_EPISODE * episodes,
            config.policy.rollout.max_turns * (episodes + refilled),
        ),
        worlds=(before, before + grown),
        syntheses=syntheses,
        author_calls=author.calls,
        tokens=author.tokens,
        dollars=author.dollars,
        disk_bytes=(
            checkpoints * _checkpoint_bytes(config)
            + LEDGER_BYTES_PER_EPISODE * (episodes - unkept)
            + WORLD_BYTES * (before + grown)
            + LEDGER_BYTES_PER_TASK * tasks * (before + asked)
        ),
        seconds=_seconds(config, steps),
    )


def _may_drop(config: Config) -> bool:
    """Whether groups can be dropped and played again: not those of one, by the gate that all arms share."""
    common = locate("gate", config.curriculum.gate, "curriculum.gate") == REGISTRY["gate"]["unequal_reward"]
    return config.group_size > 1 or not common or config.asynchronous is not None  # there, for their age


def _answers_are_kept(config: Config) -> bool:
    """Whether the second test repeats the first one's requests: a model that cannot learn, asked the same."""
    return (
        config.learner.is_built_in("learner", "api")
        and config.learner.parameters.get("answers", "") is not None
    )


def _seconds(config: Config, steps: list[Step]) -> float | None:
    guess = guesses(config)
    return None if guess is None else sum(guess[step.kind] for step in steps)


def _checkpoint_bytes(config: Config) -> int:
    """Bytes of one checkpoint; a model behind an interface stores no weights."""
    return 0 if config.learner.is_built_in("learner", "api") else stored_bytes(config.policy)


def author_cost(config: Config, worlds: int) -> AuthorCost:
    """What the author's model is asked for so many worlds, those of the splits included, without repairs."""
    path = locate("author", config.author, "author")
    each = AuthorCost(calls=LINKS)
    if path.startswith("planet.author.template:"):
        each = AuthorCost()
    elif path.startswith("planet.author.llm."):
        from planet.author.llm.estimate import cost_of_a_world
        from planet.catalog import load_catalog

        made = make("author", config.author, "author")
        each = cost_of_a_world(made.settings, load_catalog(config.catalog), "compact")
    return AuthorCost(
        calls=each.calls * worlds,
        tokens_in=each.tokens_in * worlds,
        tokens_out=each.tokens_out * worlds,
        dollars=each.dollars * worlds,
    )


def parameters(config: Config) -> int:
    """Parameters of the decoder: embedding, and per layer attention, SwiGLU and norms."""
    d = config.policy.decoder
    attention = d.width * d.head_width * (2 * d.heads + 2 * d.kv_heads)
    layer = attention + 3 * d.width * d.hidden + 2 * d.width + (2 * d.head_width if d.qk_norm else 0)
    embedding = d.vocabulary_rows * d.width
    return embedding * (1 if d.tied else 2) + d.layers * layer + d.width


def render(config: Config) -> list[str]:
    """The costs as lines."""
    c = costs(config)
    author = "no model calls, 0 tokens, 0 dollars (the template author is offline)"
    if c.author_calls:
        price = f"{c.dollars:,.2f} dollars" if c.dollars else "dollars by the model's price"
        tokens = f"{c.tokens:,} tokens" if c.tokens else "tokens by the author"
        author = (
            f"about {c.author_calls:,} model calls, {tokens}, {price}; up to three times that with repairs"
        )
    return [
        f"run        {config.run_id}",
        f"policy     {_policy(config, c)}",
        f"updates    {c.updates:,} of {config.prompts_per_update} prompts x {config.group_size}",
        f"episodes   {_range(c.train_episodes)} in training, {c.diagnose_episodes:,} in diagnosis, "
        f"{c.evaluation_episodes:,} in evaluation{_repeated(c)}",
        f"env steps  about {c.env_steps[0]:,} if the gate drops no group, at most {c.env_steps[1]:,}, "
        "audits of new worlds apart",
        f"worlds     {c.worlds[0]:,} before growth, at most {c.worlds[1]:,} after, "
        f"from at most {c.syntheses:,} syntheses",
        f"author     {author}",
        *_going_on(config),
        f"memory     {_memory(config)}",
        f"disk       about {c.disk_bytes / 1e6:,.0f} MB",
        f"time       {_time(config, c)}",
    ]


def _range(bounds: tuple[int, int]) -> str:
    return f"{bounds[0]:,}" if bounds[0] == bounds[1] else f"{bounds[0]:,} to {bounds[1]:,}"


def _repeated(c: Costs) -> str:
    if not c.repeated_episodes:
        return ""
    return f", of which the {c.repeated_episodes:,} of the second test ask nothing new"


def _time(config: Config, c: Costs) -> str:
    if c.seconds is None:
        return f"no estimate for this decoder, which is {size(config):,.0f} times as large as the one timed"
    beside = ", beside the model's answers" if config.learner.is_built_in("learner", "api") else ""
    return f"about {span(c.seconds)} on two CPU cores{beside}"


def _policy(config: Config, c: Costs) -> str:
    """What plays: so many parameters, or a model that is asked so often."""
    if not config.learner.is_built_in("learner", "api"):
        return f"{parameters(config):,} parameters"
    asked = c.diagnose_episodes + c.evaluation_episodes - c.repeated_episodes
    messages = (CALLS_PER_EPISODE + 1) * asked
    caps = config.learner.parameters.get("budget") or "no cap"
    return (
        f"{config.learner.parameters.get('model')} behind an interface: evaluated, it learns nothing; about "
        f"{messages:,} requests ({caps})"
    )


def _memory(config: Config) -> str:
    """What a device has to hold; whether one does, `python -m loop.memory_plan` can ask it."""
    found = most(config)
    alone = config.policy.mesh.devices == 1 and config.asynchronous is None
    devices = "" if alone else f" on each of {where(config, found)}"
    return (
        f"about {found.total / 1e6:,.0f} MB{devices} beside the program, most of it for {found.peak}; "
        f"python -m loop.memory_plan says more"
    )


def _going_on(config: Config) -> list[str]:
    """What a charged budget adds, which is known only once the updates are done."""
    budget = config.budget
    if budget.charged_steps is None:
        return []
    return [
        f"budget     after these, updates go on until {budget.charged_steps:,} steps are charged, "
        f"at most {budget.further_updates:,} of them"
    ]
