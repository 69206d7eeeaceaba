"""The documented views of the ledger, in SQL that SQLite and PostgreSQL share.

episode_outcomes: one row per episode with its task, world and iteration.
charged_steps:    environment steps per controller step and purpose, and the charged total up to that step.
gradient_tasks:   tasks that received a gradient, once per update.
learning_curve:   mean all-pass and reward of validation per policy version and sampling variant. Tests are
                  left out: they come at the end, whichever version they are of, and without updates warm
                  start and final policy are one version; the subject of their step tells them apart.

A ledger keeps the views that it was made with. In older ones `learning_curve` has rows of tests too, so what
is to read any ledger asks for `purpose = 'validate'`.
"""

EPISODE_OUTCOMES = """
CREATE VIEW episode_outcomes AS
SELECT e.run_id, e.episode_id, e.step, s.iteration, e.purpose, e.variant, e.policy_version, e.group_id,
       e.admitted, e.reward, e.raw_reward, e.score, e.all_pass, e.calls, e.malformed, e.tokens, e.ended,
       e.task_id, t.family, t.template, t.role, t.split, t.world_id, w.origin, w.industry, w.country,
       w.tool_set
FROM episodes e
JOIN steps s ON s.run_id = e.run_id AND s.step = e.step
JOIN tasks t ON t.run_id = e.run_id AND t.task_id = e.task_id
JOIN worlds w ON w.run_id = t.run_id AND w.world_id = t.world_id
"""

CHARGED_STEPS = """
CREATE VIEW charged_steps AS
SELECT c.run_id, c.step, c.purpose, c.steps, c.charged,
       (SELECT COALESCE(SUM(d.steps), 0) FROM charges d
        WHERE d.run_id = c.run_id AND d.charged AND d.step <= c.step) AS charged_so_far
FROM charges c
"""

GRADIENT_TASKS = """
CREATE VIEW gradient_tasks AS
SELECT e.run_id, e.step, s.iteration, u.update_index, e.task_id, t.world_id, COUNT(*) AS episodes
FROM episodes e
JOIN steps s ON s.run_id = e.run_id AND s.step = e.step
JOIN updates u ON u.run_id = e.run_id AND u.step = e.step
JOIN tasks t ON t.run_id = e.run_id AND t.task_id = e.task_id
WHERE e.purpose = 'train' AND e.admitted
GROUP BY e.run_id, e.step, s.iteration, u.update_index, e.task_id, t.world_id
"""

LEARNING_CURVE = """
CREATE VIEW learning_curve AS
SELECT g.run_id, g.purpose, g.variant, g.policy_version, g.step, g.episodes, g.all_pass, g.reward,
       (SELECT COALESCE(SUM(c.steps), 0) FROM charges c
        WHERE c.run_id = g.run_id AND c.charged AND c.step <= g.step) AS charged_steps
FROM (SELECT e.run_id, e.purpose, e.variant, e.policy_version, MIN(e.step) AS step, COUNT(*) AS episodes,
             AVG(CASE WHEN e.all_pass THEN 1.0 ELSE 0.0 END) AS all_pass, AVG(e.reward) AS reward
      FROM episodes e
      WHERE e.purpose = 'validate'
      GROUP BY e.run_id, e.purpose, e.variant, e.policy_version) g
"""

VIEWS: dict[str, str] = {
    "episode_outcomes": EPISODE_OUTCOMES,
    "charged_steps": CHARGED_STEPS,
    "gradient_tasks": GRADIENT_TASKS,
    "learning_curve": LEARNING_CURVE,
}
