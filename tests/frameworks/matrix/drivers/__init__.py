"""One driver per framework: a tool through the framework's own path, with no model and no network.

`call(tool, arguments)` gives the JSON schema of the tool's arguments as the model sees it, and the text that the
model reads as the result; it may be a coroutine function. `strict(tool)` gives the schema after each conversion
to a provider's strict form that the framework ships, by name.
A driver is only imported in an environment that has its framework.
"""
