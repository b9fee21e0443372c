"""Microsoft Agent Framework: a tool, invoked with a model's arguments."""

from agent_framework import tool as make_tool


async def call(tool, arguments):
    """Invoke as the function calling loop does."""
    made = make_tool(tool)
    contents = await made.invoke(arguments=arguments)
    return made.to_json_schema_spec()["function"]["parameters"], "\n".join(block.text for block in contents)
