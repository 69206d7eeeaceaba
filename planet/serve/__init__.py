"""A world as an MCP server: every client gets its own copy, the tools of a task, and no look at the key."""
