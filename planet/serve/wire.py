"""A desk as an MCP server: tools, the instruction as prompt and resource, and a tool that ends the episode.

A visit belongs to a connection of the handshake protocols (up to 2025-11-25), which have sessions; the
protocol of 2026-07-28 has none, so it is declined, and clients that speak both fall back.
"""

import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from planet.records.episode import ToolResult
from planet.records.view import ToolSpec
from planet.serve.visit import FINISH, LONGEST_ANSWER, Desk, Visit

logger = logging.getLogger(__name__)

INSTRUCTION = "task://instruction"
PROMPT = "task"

Context: TypeAlias = ServerRequestContext[Any, Any]
OfVisit = Callable[[Visit, Any], Any]

_FINISH_SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string", "maxLength": LONGEST_ANSWER}},
    "required": ["answer"],
    "additionalProperties": False,
}


def mcp_server(desk: Desk) -> Server[Any]:
    """The server; every connection that asks for anything gets a visit of its own."""

    def visited(handle: OfVisit) -> Callable[[Context, Any], Awaitable[Any]]:
        async def on_request(context: Context, params: Any) -> Any:
            return handle(_visit_of(context, desk), params)

        return on_request

    server: Server[Any] = Server(
        "planet",
        title="A company to work in",
        instructions=f"Read the prompt {PROMPT!r}, work with the tools, and call {FINISH!r} once.",
        on_list_tools=visited(_list_tools),
        on_call_tool=visited(_call_tool),
        on_list_prompts=visited(_list_prompts),
        on_get_prompt=visited(_get_prompt),
        on_list_resources=visited(_list_resources),
        on_read_resource=visited(_read_resource),
    )
    server.middleware += [_in_words, _with_sessions_only]
    return server


async def _in_words(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Say what is wrong with a request; of a failure of the server itself, a client learns nothing."""
    try:
        return await call_next(ctx)
    except MCPError:
        raise
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "params"
        raise MCPError(types.INVALID_PARAMS, f"{ctx.method}: {place}: {first['msg']}") from error
    except Exception as error:  # the SDK would send its words, which may quote what is hidden
        logger.exception("%s failed", ctx.method)
        raise MCPError(types.INTERNAL_ERROR, "the server failed; its log says why") from error


async def _with_sessions_only(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Decline the protocol that has no sessions, naming those that have."""
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        raise MCPError(
            types.UNSUPPORTED_PROTOCOL_VERSION,
            "an episode needs a session: connect with the initialize handshake",
            {"supported": list(HANDSHAKE_PROTOCOL_VERSIONS), "requested": ctx.protocol_version},
        )
    return await call_next(ctx)


def _visit_of(context: Context, desk: Desk) -> Visit:
    # The SDK keeps a client's state, and what is to be closed with it, on its connection, but hands handlers
    # only a proxy of that.
    connection = context.session._connection
    if "visit" not in connection.state:
        visit = desk.open()
        connection.state["visit"] = visit
        connection.exit_stack.callback(visit.leave)
    found: Visit = connection.state["visit"]
    return found


# ── tools ─────────────────────────────────────────────────────────────────────────────────────────


def _list_tools(visit: Visit, params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[*map(_tool, visit.tools), _finish_tool()])


def _tool(spec: ToolSpec) -> types.Tool:
    reads = spec.operation != "update"
    return types.Tool(
        name=spec.name,
        description=spec.description,
        input_schema=spec.parameters,
        annotations=types.ToolAnnotations(read_only_hint=reads, open_world_hint=False),
    )


def _finish_tool() -> types.Tool:
    return types.Tool(
        name=FINISH,
        description="End the episode with a short answer. Nothing can be called after it.",
        input_schema=_FINISH_SCHEMA,
        annotations=types.ToolAnnotations(read_only_hint=False, open_world_hint=False),
    )


def _call_tool(visit: Visit, params: types.CallToolRequestParams) -> types.CallToolResult:
    arguments = params.arguments or {}
    if params.name != FINISH:
        return _result(visit.call(params.name, arguments))
    if arguments.keys() != {"answer"}:
        return _result(ToolResult(None, f"{FINISH} takes one argument: answer"))
    return _result(visit.finish(arguments["answer"]))


def _result(result: ToolResult) -> types.CallToolResult:
    text = result.error or json.dumps(result.payload, ensure_ascii=False)
    return types.CallToolResult(
        content=[types.TextContent(text=text)],
        structured_content=result.payload,
        is_error=result.error is not None,
    )


# ── the instruction ───────────────────────────────────────────────────────────────────────────────


def _list_prompts(visit: Visit, params: Any) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=[types.Prompt(name=PROMPT, description="What is to be done.")])


def _get_prompt(visit: Visit, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    if params.name != PROMPT:
        raise MCPError(types.INVALID_PARAMS, f"there is no prompt of this name; the only one is {PROMPT!r}")
    message = types.PromptMessage(role="user", content=types.TextContent(text=visit.instruction))
    return types.GetPromptResult(messages=[message])


def _list_resources(visit: Visit, params: Any) -> types.ListResourcesResult:
    resource = types.Resource(name="instruction", uri=INSTRUCTION, mime_type="text/plain")
    return types.ListResourcesResult(resources=[resource])


def _read_resource(visit: Visit, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    if str(params.uri) != INSTRUCTION:
        raise MCPError(types.INVALID_PARAMS, f"there is no such resource; the only one is {INSTRUCTION}")
    text = types.TextResourceContents(uri=INSTRUCTION, mime_type="text/plain", text=visit.instruction)
    return types.ReadResourceResult(contents=[text])
