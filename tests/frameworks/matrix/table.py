"""The frameworks: what to install, and what the tests hold to be true of each.

The page of the documentation is made from this table, and every fact in it is asserted in the framework's own
environment, so neither can go stale.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True, kw_only=True)
class Framework:
    """One framework.

    Args:
        title: its name, as its makers write it.
        packages: what to install; the first is the framework itself, the others bring conversions for providers.
        kinds: of tool that it calls, see `matrix.tools.KINDS`.
        elsewhere: further kinds that it calls only in a way of its own, shown by its own test.
        bounds: how `schema_bounds=True` shows: as `minimum` and `maximum`, or only in the text.
        words: what becomes of the tool's own description of its timeout in a docstring.
        installed_as: the name that `install` takes, where it is not the one here.
        not_reached: what `install` does not correct or tell there, and why; a sentence each.
        limits: what does not work, and why; a sentence each, each shown by a test.
    """

    title: str
    packages: tuple[str, ...]
    kinds: tuple[str, ...] = ("sync", "async", "method")
    elsewhere: tuple[str, ...] = ()
    bounds: Literal["numbers", "text"] = "text"
    words: Literal["kept", "replaced", "added", "not shown"] = "added"
    installed_as: str = ""
    not_reached: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    tests: ClassVar[str] = "."


@dataclass(frozen=True, kw_only=True)
class Other:
    """An environment of another kind: what to install, and which tests to run there."""

    packages: tuple[str, ...]
    tests: str


_ALL_REQUIRED = "Its strict schema requires every argument, so the model always writes a timeout."

FRAMEWORKS = {
    "mcp": Framework(
        not_reached=(
            'What a handler of a low-level server raises becomes "Internal server error" on new connections, without a note.',
        ),
        title="MCP SDK 2",
        packages=("mcp>=2",),
        bounds="numbers",
    ),
    "mcp1": Framework(
        not_reached=("Of a server on the low-level API only its clients are corrected.",),
        title="MCP SDK 1",
        packages=("mcp<2",),
        bounds="numbers",
        installed_as="mcp",
    ),
    "fastmcp": Framework(
        not_reached=("A mounted server's tool has the name that it has there, in `tools=` too.",),
        title="FastMCP",
        packages=("fastmcp",),
        bounds="numbers",
        words="kept",
    ),
    "langchain": Framework(
        not_reached=(
            "`langchain_google_genai` reads a tool's own schema: Gemini is not told the contract, its calls are corrected.",
            "`tool.invoke(arguments)` without a tool call shows the note of a failure on the exception only.",
        ),
        title="LangChain",
        packages=("langchain-core", "langchain", "langchain-anthropic", "langchain-google-genai"),
        bounds="numbers",
    ),
    "openai_agents": Framework(
        not_reached=(
            "Called by hand, `tool.on_invoke_tool` is not corrected.",
            "A result with an output schema gets no note.",
            "With a callable `needs_approval` the SDK reads the arguments first, and asks for approval of what it cannot read.",
        ),
        title="OpenAI Agents SDK",
        packages=("openai-agents",),
        bounds="numbers",
        words="kept",
        limits=(_ALL_REQUIRED,),
    ),
    "pydantic_ai": Framework(
        not_reached=(
            "A result that is no text has its note in a part of its own, which stands after the results of that turn.",
        ),
        title="Pydantic AI",
        packages=("pydantic-ai-slim[anthropic,google,openai]",),
        bounds="numbers",
        words="kept",
    ),
    "claude_agent_sdk": Framework(
        not_reached=(
            "The tools of Claude Code itself are known by name (Bash, PowerShell), those of servers elsewhere only by `tools=`, as no schema is seen.",
            "A session that began before is not reached.",
        ),
        title="Claude Agent SDK",
        packages=("claude-agent-sdk",),
        kinds=("handler",),
        words="not shown",
        elsewhere=("sync", "async", "method"),
        limits=("Handlers are coroutine functions of one mapping, and the schema is written by hand, see below.",),
    ),
    "smolagents": Framework(
        not_reached=(
            "Code computes with what the tool gives, so its note stands in the execution logs.",
            "Code that is executed elsewhere (Docker, E2B) runs a copy of the tool's source.",
            "A tool called by a program shows the note of a failure only.",
        ),
        title="smolagents",
        packages=("smolagents", "pydantic"),
        kinds=("sync", "method"),
        words="kept",
        limits=(
            "It refuses every coroutine function, decorated or not.",
            "A tool that is exported (`to_dict`, remote executors) is rebuilt from its source without any decorator.",
        ),
    ),
    "google_adk": Framework(
        not_reached=(
            "The note is a key `timeout_note` of the function response, beside `result` or the tool's own keys.",
            "`run_async` called by a program gets no note: what it gives is data there.",
        ),
        title="Google ADK",
        packages=("google-adk", "anthropic"),
        bounds="numbers",
    ),
    "autogen": Framework(
        not_reached=("A host that sends `tool.schema` itself does not tell the contract.",),
        title="AutoGen",
        packages=("autogen-core", "autogen-agentchat", "autogen-ext"),
        limits=(
            "`strict=True` allows no default: write `@sane_timeout(default=None)` on a function that has none.",
            "A tool that is dumped (`dump_component`) is rebuilt from its source without any decorator.",
        ),
    ),
    "strands": Framework(
        not_reached=(
            "A tool that keeps its default outside of its schema (`strands_tools.shell`: `SHELL_DEFAULT_TIMEOUT`) is given 120 s; say otherwise in `tools=`.",
        ),
        title="Strands Agents",
        packages=("strands-agents", "strands-agents-tools"),
        words="kept",
    ),
    "llama_index": Framework(
        not_reached=("Tools of other classes than `FunctionTool` are corrected in agents only.",),
        title="LlamaIndex",
        packages=("llama-index-core",),
    ),
    "agno": Framework(
        not_reached=(
            "`GeminiInteractions` is not told the contract, its calls are corrected.",
            "A toolkit's own default (`CodingTools(shell_timeout=300)`) stands outside of the schema: 120 s is given; say otherwise in `tools=`.",
        ),
        title="Agno",
        packages=("agno", "anthropic", "google-genai"),
        words="kept",
    ),
    "inspect_ai": Framework(
        not_reached=("Tools that a sandbox calls back (`execute_host_tool`) are not reached.",),
        title="Inspect",
        packages=("inspect-ai", "openai"),
        kinds=("async",),
        words="kept",
        limits=(
            "It awaits what a tool gives and marks the function: plain functions and methods fail, decorated or not.",
        ),
    ),
    "haystack": Framework(
        not_reached=("Generators of other packages, outside of an agent, do not tell the contract.",),
        title="Haystack",
        packages=("haystack-ai",),
        bounds="numbers",
    ),
    "agent_framework": Framework(
        not_reached=("A result with `skip_parsing` gets no note.",),
        title="Microsoft Agent Framework",
        packages=("agent-framework-core",),
    ),
    "semantic_kernel": Framework(
        not_reached=(
            "A stream gets no note.",
            "A program gets the note of a value that is no text in the result's `metadata`.",
        ),
        title="Semantic Kernel",
        packages=("semantic-kernel[anthropic,google]",),
        kinds=("sync", "async"),
        elsewhere=("method",),
        limits=("Methods are decorated in their class, with `@kernel_function` and `@sane_timeout` in either order.",),
    ),
    "crewai": Framework(
        not_reached=("A tool that a program runs by position is left alone.",),
        title="CrewAI",
        packages=("crewai",),
        bounds="numbers",
        limits=(_ALL_REQUIRED,),
    ),
}

_MOVED = "older/test_moved.py"
OTHERS = {
    "opendot": Other(packages=("opendot",), tests="only/test_opendot_install.py"),
    "agno_older": Other(packages=("agno==2.2.0",), tests=_MOVED),
    "haystack_older": Other(packages=("haystack-ai==2.20.0",), tests=_MOVED),
    "strands_older": Other(packages=("strands-agents==1.45.0",), tests=_MOVED),
}
"""A program whose tools are corrected from outside, and releases older than those that `install` was written for."""
