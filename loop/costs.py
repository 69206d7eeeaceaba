"""What a run will cost, before it is run: `--dry-run`."""

from dataclasses import dataclass

from loop.config import API_LEARNERS, Config
from loop.plugins import locate, make
from loop.reporting.progress import guesses, span
from loop.resuming.steps import steps_of
from planet.author.artifacts import AuthorCost
from policy.memory_plan import plan

CHECKPOINT_BYTES_PER_PARAMETER = 8
"""A parameter and its momentum in float32; a second moment for the few that Adam keeps is left out."""
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
    train_episodes: tuple[int, int]  # without and with every group refilled
    diagnose_episodes: int
    evaluation_episodes: int  # validation and test
    env_steps: tuple[int, int]  # of all episodes, audits apart
    worlds: tuple[int, int]  # before and after growth
    syntheses: int  # of grown worlds, at most
    author_calls: int  # model calls, about, without repairs; 0 for an author without a model
    tokens: int  # of these calls, in and out; 0 where it is not known
    dollars: float  # of these calls; 0.0 where the configuration names no price
    disk_bytes: int
    seconds: float  # on two CPU cores


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
    test_worlds = sizes.test + sizes.test_reserved + sizes.test_unseen
    evaluation = count["validate"] * sizes.validation * tasks * settings.validate_rollouts
    evaluation += count["test"] * test_worlds * tasks * (settings.test_rollouts + 1)
    grows = config.curriculum.grower.type != "none"
    before = sizes.foundation + sizes.train + sizes.diagnose + sizes.validation + test_worlds
    grown = config.iterations * config.growth.quota if grows else 0
    syntheses = config.iterations * config.growth.attempts if grows else 0
    author = author_cost(config, before + syntheses)
    episodes = train + diagnose + evaluation
    checkpoints = config.keep_checkpoints + config.iterations + 1
    guess = guesses(config)
    return Costs(
        updates=count["update"],
        train_episodes=(train, 2 * train),
        diagnose_episodes=diagnose,
        evaluation_episodes=evaluation,
        env_steps=(
            CALLS_PER_EPISODE * episodes,
            config.policy.rollout.max_turns * (episodes + train),
        ),
        worlds=(before, before + grown),
        syntheses=syntheses,
        author_calls=author.calls,
        tokens=author.tokens,
        dollars=author.dollars,
        disk_bytes=(
            checkpoints * CHECKPOINT_BYTES_PER_PARAMETER * parameters(config)
            + LEDGER_BYTES_PER_EPISODE * (episodes - unkept)
            + (WORLD_BYTES + LEDGER_BYTES_PER_TASK * tasks) * (before + grown)
        ),
        seconds=sum(guess[step.kind] for step in steps),
    )


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
        f"episodes   {c.train_episodes[0]:,} to {c.train_episodes[1]:,} in training, "
        f"{c.diagnose_episodes:,} in diagnosis, {c.evaluation_episodes:,} in evaluation",
        f"env steps  about {c.env_steps[0]:,}, at most {c.env_steps[1]:,}",
        f"worlds     {c.worlds[0]:,} before growth, at most {c.worlds[1]:,} after, "
        f"from at most {c.syntheses:,} syntheses",
        f"author     {author}",
        *_going_on(config),
        f"memory     {_memory(config)}",
        f"disk       about {c.disk_bytes / 1e6:,.0f} MB",
        f"time       about {span(c.seconds)} on two CPU cores",
    ]


def _policy(config: Config, c: Costs) -> str:
    """What plays: so many parameters, or a model that is asked so often."""
    if config.learner.type not in API_LEARNERS:
        return f"{parameters(config):,} parameters"
    messages = (CALLS_PER_EPISODE + 1) * (c.diagnose_episodes + c.evaluation_episodes)
    caps = config.learner.parameters.get("budget") or "no cap"
    return (
        f"{config.learner.parameters.get('model')} behind an interface: evaluated, it learns nothing; about "
        f"{messages:,} requests ({caps})"
    )


def _memory(config: Config) -> str:
    """What a device has to hold; whether one does, `python -m loop.memory_plan` can ask it."""
    found = plan(config.policy)
    where = "" if found.mesh.devices == 1 else f" on each of {found.mesh.devices} devices"
    return (
        f"about {found.total / 1e6:,.0f} MB{where} beside the program, most of it for {found.peak}; "
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
