"""A simulated run that went on after its last iteration until it had spent a charged budget."""

from analysis.ledger import ChargeRow, EpisodeRow, StepRow, UpdateRow


def extend(run):
    """One more update outside of the iterations, charged, and one more test, all of which passes."""
    version = len(run.ledger.rows(UpdateRow, run.id))
    update = max(run.ledger.rows(UpdateRow, run.id), key=lambda row: row.step)
    trained = run.ledger.rows(EpisodeRow, run.id, step=update.step)
    tested = run.ledger.rows(EpisodeRow, run.id, step=run.ledger.last_step(run.id))
    assert {row.purpose for row in tested} == {"test"}
    step = run.ledger.last_step(run.id) + 1
    with run.ledger.transaction() as tx:
        key = {"run_id": run.id, "step": step}
        tx.add(StepRow(**key, kind="update", iteration=None))
        tx.add(update.replace(**key, update_index=version))
        tx.add(ChargeRow(**key, purpose="train", steps=500, charged=True))
        tx.add(*(row.replace(**key, episode_id=f"x/{row.episode_id}") for row in trained))
    with run.ledger.transaction() as tx:
        key = {"run_id": run.id, "step": step + 1}
        tx.add(StepRow(**key, kind="test", iteration=None, detail={"subject": "extended"}))
        passed = {"all_pass": True, "policy_version": version + 1}
        tx.add(*(row.replace(**key, **passed, episode_id=f"x/{row.episode_id}") for row in tested))
