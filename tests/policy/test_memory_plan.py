"""The plan agrees with what lies in memory and with what the compiler asks for; its advice is checked."""

from statistics import mean
from typing import Any

import jax
import numpy as np
import pytest

from policy import gradients
from policy.attention_parts import reads
from policy.config import (
    PRESETS,
    GrpoConfig,
    MeshConfig,
    OptimizerConfig,
    PackingConfig,
    PolicyConfig,
)
from policy.critic import critic_of
from policy.decoder import Attention, Source, parameters
from policy.device_memory import device_memory, require_room
from policy.errors import DeviceError
from policy.memory_advice import advice, fitting_mesh, meshes
from policy.memory_plan import Plan, activations, logits, plan, stored_bytes
from policy.optimizer import initial
from policy.packing import Packed
from policy.sao_trainer import SaoTrainer
from policy.trainer import Trainer

ADAM = GrpoConfig(optimizer=OptimizerConfig(name="adam"))
MICRO = PolicyConfig(decoder=PRESETS["micro"])
GIB = 2**30


def of(found: Plan, start: str) -> int:
    return sum(item.bytes for item in found.items if item.name.startswith(start))


def held(tree: Any) -> int:
    return sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(tree))


@pytest.mark.parametrize("name", ["muon", "adam"])
def test_what_stays_in_memory_is_planned_to_the_byte(name: str) -> None:
    config = MICRO.model_copy(update={"grpo": GrpoConfig(optimizer=OptimizerConfig(name=name))})
    params = parameters(config.decoder, 0)
    state = initial(config.grpo.optimizer, params)
    assert of(plan(config), "parameters") == held(params)
    # Beside the moments: counters and Muon's coefficients, a few numbers.
    assert 0 <= held(state) - of(plan(config), "optimizer") <= 64


@pytest.mark.parametrize(("width", "wanted"), [(256, 160.0), (64, 64.0), (130, 130.0)])  # 256 x 5 / 8
def test_the_plan_reads_as_many_tokens_as_the_decoder(
    width: int, wanted: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def mix(self: Any, q: jax.Array, sources: tuple[Source, ...]) -> jax.Array:
        seen.append(sources[0].keys.shape[-1])
        return jax.numpy.zeros((1, q.shape[3], 32))

    monkeypatch.setattr(Attention, "_mix", mix)
    made = object.__new__(Attention)
    monkeypatch.setattr(Attention, "output", jax.numpy.zeros((32, 32)), raising=False)
    q, keys, values = (np.zeros((1, 1, *rest)) for rest in ((2, width, 16), (16, width), (width, 16)))
    made.attend_causally(q, Source(keys, values, np.ones((1, width, width), bool)))
    assert mean(seen) == reads(width) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["tiny", "small"])
def test_an_update_is_planned_to_within_fifteen_percent_of_what_the_compiler_asks_for(preset: Any) -> None:
    config = PolicyConfig(decoder=PRESETS[preset])
    params = jax.eval_shape(lambda: parameters(config.decoder, 0))
    state = jax.eval_shape(lambda params: initial(config.grpo.optimizer, params), params)
    rows = (config.packing.rows, config.packing.width)
    batch = Packed(
        *(jax.ShapeDtypeStruct(rows, np.int32 if n < 5 else np.float32) for n in range(len(Packed._fields)))
    )
    compiled = gradients.accumulate.lower(
        config.decoder,
        gradients.objective_of(config.grpo),
        params,
        jax.eval_shape(gradients.nothing_yet, params),
        batch,
        jax.ShapeDtypeStruct((), np.float32),
    ).compile()
    asked = compiled.memory_analysis()
    # Arguments are parameters, accumulated gradients and batch; the result takes the place of the gradients.
    measured = held(state) + asked.argument_size_in_bytes + asked.temp_size_in_bytes
    assert plan(config).phase("gradients") == pytest.approx(measured, rel=0.15)


def test_activations_follow_from_rows_and_layers() -> None:
    # Micro, a row of 256: a token reads 256 x 5 / 8 = 160 others, computed in quarters.
    two = MICRO.model_copy(update={"packing": PackingConfig(width=256, rows=2)})
    four = MICRO.model_copy(update={"packing": PackingConfig(width=256, rows=4)})
    assert activations(four) == 2 * activations(two)
    deep = two.model_copy(update={"decoder": two.decoder.model_copy(update={"layers": 20})})
    assert activations(deep) == 10 * activations(two)
    again = deep.model_copy(update={"decoder": deep.decoder.model_copy(update={"remat": True})})
    # One layer as it is, and 20 streams of 32 features of 512 tokens in 4 bytes.
    assert activations(again) == activations(deep) // 20 + 20 * 32 * 512 * 4


def test_the_logits_of_a_loss_by_hand() -> None:
    # Three arrays of 2 rows x 64 columns x 256 words.
    assert logits(MICRO) == 3 * 4 * 2 * 64 * 256


def test_a_mesh_divides_what_it_splits() -> None:
    whole = PolicyConfig(decoder=PRESETS["qwen3-4b"], grpo=ADAM, packing=PackingConfig(rows=8))
    split = whole.model_copy(update={"mesh": MeshConfig(fsdp=8)})
    # Only norms, a few thousand values, lie whole on every device.
    assert of(plan(split), "parameters") == pytest.approx(of(plan(whole), "parameters") / 8, rel=1e-3)
    assert of(plan(split), "activations") * 8 == pytest.approx(of(plan(whole), "activations"), rel=1e-6)
    assert of(plan(whole), "parameters") == 4 * 4_022_468_096
    assert of(plan(whole), "optimizer") == 2 * 4 * 4_022_468_096
    assert of(plan(whole), "layers gathered") == 0 < of(plan(split), "layers gathered")


def test_a_penalty_needs_a_reference_policy() -> None:
    held_back = MICRO.model_copy(update={"grpo": GrpoConfig(kl=0.1)})
    more = plan(held_back).total - plan(MICRO).total
    assert more == of(plan(MICRO), "parameters")


def test_a_critic_is_planned_to_the_byte() -> None:
    config = MICRO.model_copy(update={"algorithm": "sao"})
    made = critic_of(parameters(config.decoder, 0), config.sao.critic.optimizer)
    # Beside it: the value head of 32 + 1 numbers with two moments, and a counter.
    assert 0 <= held(made) - of(plan(config), "critic") <= 4 * 3 * 33 + 8


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"grpo": ADAM},
        {"grpo": GrpoConfig(kl=0.1)},
        {"algorithm": "sao"},
        {"mesh": MeshConfig(fsdp=2)},  # whose devices store all of it together
    ],
)
def test_a_checkpoint_is_counted_with_all_that_it_holds(change: dict[str, Any]) -> None:
    config = MICRO.model_copy(update=change)
    if config.algorithm == "sao":
        state = SaoTrainer(config.decoder, config.sao, config.packing).init(0)
    else:
        state = Trainer(config.decoder, config.grpo, config.packing).init(0)
    arrays = (state.params, state.opt_state, state.critic, state.reference)
    # Beside them: counters, Muon's coefficients, and the value head of 33 numbers with two moments.
    assert 0 <= held(arrays) - stored_bytes(config) <= 64 + 4 * 3 * 33 + 8


def test_advice_is_followed_until_it_fits() -> None:
    large = PolicyConfig(decoder=PRESETS["qwen3-4b"], grpo=ADAM)
    found = advice(large, 16 * GIB)
    assert found.fits and found.plan.total <= 16 * GIB
    assert any(change.startswith("policy.mesh.fsdp=") for change in found.changes)
    assert advice(large, 10**15).changes == ()
    assert not advice(large, 10**6).fits


def test_meshes_of_four_devices_in_order_of_their_communication() -> None:
    shapes = [(mesh.data, mesh.fsdp, mesh.tensor) for mesh in meshes(4)]
    assert shapes == [(4, 1, 1), (2, 2, 1), (1, 4, 1), (2, 1, 2), (1, 2, 2), (1, 1, 4)]


def test_a_mesh_is_found_where_there_is_one() -> None:
    large = PolicyConfig(decoder=PRESETS["qwen3-4b"], grpo=ADAM)
    found = fitting_mesh(large, 16, 24 * GIB)
    assert found is not None and found[0].devices == 16 and found[1].total <= 24 * GIB
    assert fitting_mesh(large, 2, 16 * GIB) is None


def test_what_cannot_fit_for_certain_is_refused_before_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (device_memory() or GIB) > 10**8
    require_room(MICRO)
    monkeypatch.setattr("policy.device_memory.device_memory", lambda: 4 * GIB)
    with pytest.raises(DeviceError, match=r"take 59\.9 GiB of every device, and one has 4\.0; raise"):
        # 4,022,468,096 x 4 bytes x (parameter, two moments, gradient) = 59.9 GiB
        require_room(PolicyConfig(decoder=PRESETS["qwen3-4b"], grpo=ADAM))
    rows = PackingConfig(rows=64)
    shared = PolicyConfig(decoder=PRESETS["qwen3-4b"], grpo=ADAM, mesh=MeshConfig(fsdp=64), packing=rows)
    require_room(shared)
    with pytest.raises(DeviceError, match=r"the whole policy takes \d+\.\d GiB of a device that plays"):
        require_room(shared, play_elsewhere=True)
