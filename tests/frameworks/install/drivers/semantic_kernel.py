"""Semantic Kernel: a chat completion agent whose service is a script; its tool messages are what a model reads."""

import json

from semantic_kernel import Kernel
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai import FunctionChoiceBehavior
from semantic_kernel.connectors.ai.chat_completion_client_base import ChatCompletionClientBase
from semantic_kernel.connectors.ai.function_calling_utils import update_settings_from_function_call_configuration
from semantic_kernel.connectors.ai.open_ai import OpenAIChatPromptExecutionSettings
from semantic_kernel.contents import (
    ChatHistory,
    ChatMessageContent,
    FunctionCallContent,
    StreamingChatMessageContent,
    StreamingTextContent,
    TextContent,
)
from semantic_kernel.functions import KernelArguments, KernelFunctionFromMethod, KernelPlugin, kernel_function
from semantic_kernel.prompt_template import KernelPromptTemplate, PromptTemplateConfig

from install.told import Told

FAILURES = "told"


class Script(ChatCompletionClientBase):
    """Plays turns, each a list of calls, and keeps what it was given last."""

    SUPPORTS_FUNCTION_CALLING = True
    turns: list = []
    texts: list = []
    tools: list = []

    def get_prompt_execution_settings_class(self):
        return OpenAIChatPromptExecutionSettings

    def _update_function_choice_settings_callback(self):
        return update_settings_from_function_call_configuration

    def _reset_function_choice_settings(self, settings):
        settings.tools = None

    def _turn(self, history, settings):
        self.texts = [str(item.result) for message in history if message.role == "tool" for item in message.items]
        self.tools = self.tools or settings.tools
        calls = self.turns.pop(0) if self.turns else []
        made = [
            FunctionCallContent(
                id=str(at),
                index=at,
                name=name,
                arguments=arguments if isinstance(arguments, str) else json.dumps(arguments),
            )
            for at, (name, arguments) in enumerate(calls)
        ]
        return made or [TextContent(text="done")]

    async def _inner_get_chat_message_contents(self, chat_history, settings):
        return [ChatMessageContent(role="assistant", items=self._turn(chat_history, settings))]

    async def _inner_get_streaming_chat_message_contents(self, chat_history, settings, function_invoke_attempt=0):
        items = [
            item if isinstance(item, FunctionCallContent) else StreamingTextContent(choice_index=0, text=item.text)
            for item in self._turn(chat_history, settings)
        ]
        yield [
            StreamingChatMessageContent(
                role="assistant", choice_index=0, items=items, function_invoke_attempt=function_invoke_attempt
            )
        ]


def plugin_of(*tools):
    """Make a plugin of plain functions."""
    return KernelPlugin(
        name="shell", functions=[KernelFunctionFromMethod(kernel_function(tool), "shell") for tool in tools]
    )


def agent_of(*plugins, calls, name="shell"):
    """Make an agent, and the service that plays its calls."""
    service = Script(ai_model_id="script", turns=[list(calls)])
    return ChatCompletionAgent(service=service, name=name, plugins=list(plugins)), service


async def loop(tools, *calls):
    """Run an agent until the model calls no more tool."""
    agent, service = agent_of(plugin_of(*tools), calls=[("shell-run_shell", arguments) for arguments in calls])
    await agent.get_response("go")
    return Told(service.tools[0]["function"]["parameters"], service.texts)


async def _streaming(tool, arguments):
    agent, service = agent_of(plugin_of(tool), calls=[("shell-run_shell", arguments)])
    async for _ in agent.invoke_stream("go"):
        pass
    return service.texts[0]


async def _sub_agent(tool, arguments):
    sub, service = agent_of(plugin_of(tool), calls=[("shell-run_shell", arguments)], name="worker")
    agent, _ = agent_of(sub, calls=[("worker-worker", {"messages": "go"})], name="boss")
    await agent.get_response("go")
    return service.texts[0]


def kernel_of(tool):
    """Make a kernel with one function."""
    kernel = Kernel()
    kernel.add_plugin(plugin_of(tool))
    return kernel


async def _kernel_invoke(tool, arguments):
    return str(await kernel_of(tool).invoke(function_name="run_shell", plugin_name="shell", **arguments))


async def _function(tool, arguments):
    kernel = kernel_of(tool)
    return str(await kernel.get_function("shell", "run_shell")(kernel, KernelArguments(**arguments)))


async def _function_call(tool, arguments):
    history = ChatHistory()
    call = FunctionCallContent(id="1", name="shell-run_shell", arguments=json.dumps(arguments))
    await kernel_of(tool).invoke_function_call(call, history)
    return str(history.messages[-1].items[0].result)


async def _template(tool, arguments):
    text = "{{shell.run_shell command='ls' timeout='" + str(arguments["timeout"]) + "'}}"
    template = KernelPromptTemplate(
        prompt_template_config=PromptTemplateConfig(template=text), allow_dangerously_set_content=True
    )
    return await template.render(kernel_of(tool), KernelArguments())


async def _prompt(tool, arguments):
    kernel = kernel_of(tool)
    script = Script(ai_model_id="script", turns=[[("shell-run_shell", arguments)]])
    kernel.add_service(script)
    settings = OpenAIChatPromptExecutionSettings(function_choice_behavior=FunctionChoiceBehavior.Auto())
    await kernel.invoke_prompt("go", arguments=KernelArguments(settings=settings))
    return script.texts[0]


ENTRIES = {
    "streaming": _streaming,
    "sub_agent": _sub_agent,
    "kernel_invoke": _kernel_invoke,
    "the_function": _function,
    "a_function_call": _function_call,
    "a_template": _template,
    "a_prompt": _prompt,
}
