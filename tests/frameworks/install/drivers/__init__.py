"""How each framework runs an agent with a tool that is not decorated, through its real loop.

A module for each, named as in `matrix.table`, with:

- `loop(tools, *calls)`, a coroutine function: registers the functions `tools` the ordinary way, lets a scripted model
  call the first of them with the arguments of each of `calls`, all in one turn where the framework has that, and gives
  a `Told`: the schema of the first tool's arguments as the model is given it, and what the model reads of each call.
- `FAILURES`: `"told"` where a tool's exception becomes something that the model reads, `"raised"` where it leaves the
  framework.
- `ENTRIES`: the other ways to the tool, by name (`direct`, `batch`, `sub_agent`, ...): coroutine functions
  of a tool and the arguments of one call, that give what is read of it.
"""
