"""smolagents: a tool call of the agent that calls tools."""

from smolagents import ToolCallingAgent
from smolagents import tool as make_tool
from smolagents.models import Model, get_tool_json_schema


def call(tool, arguments):
    """Call as a step of the agent does."""
    made = make_tool(tool)
    agent = ToolCallingAgent(tools=[made], model=Model(), verbosity_level=0)
    schema = get_tool_json_schema(made)["function"]["parameters"]
    return schema, str(agent.execute_tool_call("run_shell", arguments))


def strict(tool):
    """Give what goes to the OpenAI compatible providers."""
    return {"openai": get_tool_json_schema(make_tool(tool))["function"]["parameters"]}
