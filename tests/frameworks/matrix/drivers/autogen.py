"""AutoGen: a tool call of a workbench, through which its agents call all tools."""

from autogen_core.tools import FunctionTool, StaticWorkbench


async def call(tool, arguments):
    """Call through a workbench."""
    workbench = StaticWorkbench([FunctionTool(tool, description="Run a shell command.")])
    schema = (await workbench.list_tools())[0]["parameters"]
    result = await workbench.call_tool("run_shell", arguments)
    return schema, "\n".join(block.content for block in result.result)
