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
        limits: what does not work, and why; a sentence each, each shown by a test.
    """

    title: str
    packages: tuple[str, ...]
    kinds: tuple[str, ...] = ("sync", "async", "method")
    elsewhere: tuple[str, ...] = ()
    bounds: Literal["numbers", "text"] = "text"
    words: Literal["kept", "replaced", "added", "not shown"] = "added"
    installed_as: str = ""
    limits: tuple[str, ...] = ()
    tests: ClassVar[str] = "."


@dataclass(frozen=True, kw_only=True)
class Other:
    """An environment of another kind: what to install, and which tests to run there."""

    packages: tuple[str, ...]
    tests: str


_ALL_REQUIRED = "Its strict schema requires every argument, so the model always writes a timeout."

FRAMEWORKS = {
    "mcp": Framework(title="MCP SDK 2", packages=("mcp>=2",), bounds="numbers"),
    "mcp1": Framework(title="MCP SDK 1", packages=("mcp<2",), bounds="numbers", installed_as="mcp"),
    "fastmcp": Framework(title="FastMCP", packages=("fastmcp",), bounds="numbers", words="kept"),
    "langchain": Framework(
        title="LangChain",
        packages=("langchain-core", "langchain", "langchain-anthropic", "langchain-google-genai"),
        bounds="numbers",
    ),
    "openai_agents": Framework(
        title="OpenAI Agents SDK",
        packages=("openai-agents",),
        bounds="numbers",
        words="kept",
        limits=(_ALL_REQUIRED,),
    ),
    "pydantic_ai": Framework(
        title="Pydantic AI", packages=("pydantic-ai-slim[anthropic,google,openai]",), bounds="numbers", words="kept"
    ),
    "claude_agent_sdk": Framework(
        title="Claude Agent SDK",
        packages=("claude-agent-sdk",),
        kinds=("handler",),
        words="not shown",
        elsewhere=("sync", "async", "method"),
        limits=("Handlers are coroutine functions of one mapping, and the schema is written by hand, see below.",),
    ),
    "smolagents": Framework(
        title="smolagents",
        packages=("smolagents", "pydantic"),
        kinds=("sync", "method"),
        words="kept",
        limits=(
            "It refuses every coroutine function, decorated or not.",
            "A tool that is exported (`to_dict`, remote executors) is rebuilt from its source without any decorator.",
        ),
    ),
    "google_adk": Framework(title="Google ADK", packages=("google-adk", "anthropic"), bounds="numbers"),
    "autogen": Framework(
        title="AutoGen",
        packages=("autogen-core", "autogen-agentchat", "autogen-ext"),
        limits=(
            "`strict=True` allows no default: write `@sane_timeout(default=None)` on a function that has none.",
            "A tool that is dumped (`dump_component`) is rebuilt from its source without any decorator.",
        ),
    ),
    "strands": Framework(title="Strands Agents", packages=("strands-agents", "strands-agents-tools"), words="kept"),
    "llama_index": Framework(title="LlamaIndex", packages=("llama-index-core",)),
    "agno": Framework(title="Agno", packages=("agno", "anthropic", "google-genai"), words="kept"),
    "inspect_ai": Framework(
        title="Inspect",
        packages=("inspect-ai", "openai"),
        kinds=("async",),
        words="kept",
        limits=(
            "It awaits what a tool gives and marks the function: plain functions and methods fail, decorated or not.",
        ),
    ),
    "haystack": Framework(title="Haystack", packages=("haystack-ai",), bounds="numbers"),
    "agent_framework": Framework(title="Microsoft Agent Framework", packages=("agent-framework-core",)),
    "semantic_kernel": Framework(
        title="Semantic Kernel",
        packages=("semantic-kernel[anthropic,google]",),
        kinds=("sync", "async"),
        elsewhere=("method",),
        limits=("Methods are decorated in their class, with `@kernel_function` and `@sane_timeout` in either order.",),
    ),
    "crewai": Framework(title="CrewAI", packages=("crewai",), bounds="numbers", limits=(_ALL_REQUIRED,)),
}

_MOVED = "older/test_moved.py"
OTHERS = {
    "opendot": Other(packages=("opendot",), tests="only/test_opendot_install.py"),
    "agno_older": Other(packages=("agno==2.2.0",), tests=_MOVED),
    "haystack_older": Other(packages=("haystack-ai==2.20.0",), tests=_MOVED),
    "strands_older": Other(packages=("strands-agents==1.45.0",), tests=_MOVED),
}
"""A program whose tools are corrected from outside, and releases older than those that `install` was written for."""
