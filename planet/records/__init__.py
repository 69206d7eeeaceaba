"""The records that pass between the stages: frozen, compared by value, written to disk as JSON.

`world` and `task` hold the grader-only `WorldKey` and `TaskKey`; a policy imports from
`planet.records.episode` and `planet.records.view` alone.
"""
