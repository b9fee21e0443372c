"""An MCP server of nothing but the standard library, as it may be written in any language: a page lists one tool."""

import json
import sys

NUMBER = {"type": "integer", "description": "how long"}
TOOLS = [
    {"name": name, "inputSchema": {"type": "object", "properties": properties}}
    for name, properties in (
        ("run_shell", {"command": {"type": "string"}, "timeout": NUMBER}),
        ("listings", {}),
        ("fetch", {"url": {"type": "string"}, "timeout_ms": NUMBER}),
        ("fail", {"command": {"type": "string"}, "timeout": NUMBER}),
        ("refuse", {"command": {"type": "string"}, "timeout": NUMBER}),
        ("sleep", {"command": {"type": "string"}, "timeout": {"$ref": "#/$defs/Limit"}}),
    )
]
LISTED = []


def text(said, **result):
    """Give a result of one text."""
    return {"content": [{"type": "text", "text": said}], **result}


def answer(method, params):
    """Give the result of a request, or raise what it is refused with."""
    if method == "initialize":
        about = {"name": "any", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
    if method == "tools/list":
        page = int((params or {}).get("cursor") or 0)
        LISTED.append(page)
        return {"tools": [TOOLS[page]], **({"nextCursor": str(page + 1)} if page + 1 < len(TOOLS) else {})}
    if method != "tools/call" or params["name"] == "refuse":
        raise LookupError("refused")
    if params["name"] == "listings":
        return text(str(len(LISTED)))
    return text(json.dumps(params.get("arguments")), isError=params["name"] == "fail")


def main():
    """Answer every request, one a line."""
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        try:
            told = {"result": answer(request["method"], request.get("params"))}
        except LookupError as error:
            told = {"error": {"code": -32601, "message": str(error)}}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **told}), flush=True)


if __name__ == "__main__":
    main()
