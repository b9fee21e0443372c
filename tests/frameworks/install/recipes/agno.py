"""Every call of an agent, a team or its members is corrected; here one that a model could have made."""

from agno.models.anthropic import Claude
from agno.tools.function import Function, FunctionCall

import timeoutkit

timeoutkit.install("agno")


def run_shell(command: str, timeout: int | None = None) -> str:
    """Run a shell command."""
    return f"ran within {timeout} s"


call = FunctionCall(function=Function.from_callable(run_shell), arguments={"command": "make", "timeout": 90000})
messages = []
for _event in Claude().run_function_calls([call], messages):  # an agent does this in its run
    pass
print(messages[0].content)
