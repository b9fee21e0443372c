"""Microsoft Agent Framework: an agent with the function calling loop, whose chat client says what it was told to."""

import json

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    FunctionTool,
    Message,
    ResponseStream,
    function_middleware,
)
from agent_framework import tool as make_tool

from install.told import Told

FAILURES = "told"


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    """A chat client that calls tools in its first turn, and ends with what it reads of them."""

    def __init__(self, *calls):
        super().__init__()
        self.calls = [
            Content.from_function_call(
                call_id=str(index), name=name, arguments=given if isinstance(given, str) else json.dumps(given)
            )
            for index, (name, given) in enumerate(calls)
        ]
        self.texts = None
        self.schema = None

    def _inner_get_response(self, *, messages, stream, options, **_others):
        results = [content for message in messages for content in message.contents if content.type == "function_result"]
        if results or not self.calls:
            self.texts = [text_of(result.items) for result in sorted(results, key=lambda one: int(one.call_id))]
            contents = [Content.from_text("\n\n".join(self.texts))]
        else:
            self.schema = options["tools"][0].parameters()
            contents = self.calls
        return self._streamed(contents) if stream else self._whole(contents)

    async def _whole(self, contents):
        return ChatResponse(messages=[Message(role="assistant", contents=contents)], response_id="1")

    def _streamed(self, contents):
        async def updates():
            yield ChatResponseUpdate(role="assistant", contents=contents)

        return ResponseStream(updates(), finalizer=ChatResponse.from_updates)


def text_of(contents):
    """Flatten what a tool gave."""
    return "\n\n".join(content.text for content in contents)


async def loop(tools, *calls):
    """Run an agent; what it does with bare functions is the ordinary way."""
    client = Scripted(*((tools[0].__name__, arguments) for arguments in calls))
    await Agent(client=client, tools=tools).run("hi")
    return Told(client.schema, client.texts)


async def _streaming(tool, arguments):
    client = Scripted((tool.__name__, arguments))
    async for _update in Agent(client=client, tools=[tool]).run("hi", stream=True):
        pass
    return client.texts[0]


async def _sub_agent(tool, arguments):
    inner = Agent(client=Scripted((tool.__name__, arguments)), name="inner", tools=[tool])
    client = Scripted(("inner", {"task": "hi"}))
    await Agent(client=client, tools=[inner.as_tool()]).run("hi")
    return client.texts[0]


async def _middleware(tool, arguments):
    @function_middleware
    async def passing(_context, call_next):
        await call_next()

    client = Scripted((tool.__name__, arguments))
    await Agent(client=client, tools=[tool], middleware=[passing]).run("hi")
    return client.texts[0]


async def _approved(tool, arguments):
    client = Scripted((tool.__name__, arguments))
    agent = Agent(client=client, tools=[make_tool(tool, approval_mode="always_require")])
    session = agent.create_session()
    asked = await agent.run("hi", session=session)
    answers = [request.to_function_approval_response(approved=True) for request in asked.user_input_requests]
    await agent.run(Message(role="user", contents=answers), session=session)
    return client.texts[0]


async def _direct(tool, arguments):
    return text_of(await make_tool(tool).invoke(arguments=arguments))


async def _keywords(tool, arguments):
    return text_of(await make_tool(tool).invoke(**arguments))


async def _model(tool, arguments):
    made = make_tool(tool)
    return text_of(await made.invoke(arguments=made.input_model(**arguments)))


async def _of_another_tool(tool, arguments):
    inner = make_tool(tool)

    async def outer() -> str:
        """Call another tool."""
        return text_of(await inner.invoke(arguments=arguments))

    return (await loop([outer], {})).texts[0]


async def _by_hand(tool, arguments):
    schema = make_tool(tool).parameters()
    made = FunctionTool(name=tool.__name__, func=tool, input_model=schema)
    client = Scripted((tool.__name__, arguments))
    await Agent(client=client, tools=[made]).run("hi")
    return client.texts[0]


ENTRIES = {
    "streaming": _streaming,
    "sub_agent": _sub_agent,
    "middleware": _middleware,
    "approved": _approved,
    "direct": _direct,
    "keywords": _keywords,
    "model": _model,
    "of_another_tool": _of_another_tool,
    "by_hand": _by_hand,
}
