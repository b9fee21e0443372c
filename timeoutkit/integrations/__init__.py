"""The frameworks that `install` knows: a row here, and a module of the same name that opens its seams."""

from typing import NamedTuple


class Framework(NamedTuple):
    """What is known of a framework without importing anything of it."""

    package: str
    """The package that it is imported as."""
    distribution: str
    """Its name on PyPI."""
    versions: str
    """The versions that its module was written for, and is tested with."""


FRAMEWORKS = {
    "mcp": Framework("mcp", "mcp", "1.30 and 2.3"),
    "fastmcp": Framework("fastmcp", "fastmcp", "4.2"),
    "langchain": Framework("langchain_core", "langchain-core", "1.8"),
    "openai-agents": Framework("agents", "openai-agents", "0.24"),
    "pydantic-ai": Framework("pydantic_ai", "pydantic-ai-slim", "2.68"),
    "claude-agent-sdk": Framework("claude_agent_sdk", "claude-agent-sdk", "0.2.189"),
    "smolagents": Framework("smolagents", "smolagents", "1.26"),
    "google-adk": Framework("google.adk", "google-adk", "2.13"),
    "autogen": Framework("autogen_core", "autogen-core", "0.7"),
    "strands": Framework("strands", "strands-agents", "1.62"),
    "llama-index": Framework("llama_index.core", "llama-index-core", "0.14.25"),
    "agno": Framework("agno", "agno", "3.1"),
    "inspect-ai": Framework("inspect_ai", "inspect-ai", "0.3.285"),
    "haystack": Framework("haystack", "haystack-ai", "3.4"),
    "agent-framework": Framework("agent_framework", "agent-framework-core", "1.23"),
    "semantic-kernel": Framework("semantic_kernel", "semantic-kernel", "1.45"),
    "crewai": Framework("crewai", "crewai", "1.15"),
}
"""By the name that `install` takes; `openai-agents` is opened by `timeoutkit.integrations.openai_agents`."""
