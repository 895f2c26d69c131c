"""
title: Ralph
description: An imitation of the Ralph family's pipe, which appends text and blocks to the message and returns nothing.
"""

import html
import json

import httpx
from pydantic import BaseModel


class Pipe:
    class Valves(BaseModel):
        RALPH_SERVICE_URL: str = "http://127.0.0.1:8200"

    def __init__(self):
        self.valves = self.Valves()

    async def pipe(self, body: dict, __user__: dict, __metadata__: dict, __event_emitter__=None, __task__=None) -> str:
        if __task__ or not __event_emitter__:
            return ""
        asked = {"user_id": __user__["id"], "chat_id": __metadata__["chat_id"], "messages": body["messages"]}
        async with httpx.AsyncClient(timeout=300) as client:
            url = f"{self.valves.RALPH_SERVICE_URL}/chat/stream"
            async with client.stream("POST", url, json=asked) as response:
                async for line in response.aiter_lines():
                    if line.startswith("data:"):
                        for event in self.events(json.loads(line[5:])):
                            await __event_emitter__(event)
        return ""

    def events(self, frame: dict) -> list[dict]:
        match frame["type"]:
            case "status":
                return [status(frame["content"])]
            case "message":
                return [message(frame["content"])]
            case "tool_call_start":
                return [status(f"Running {frame['tool_name']}...")]
            case "tool_call_complete":
                return [message(block(frame, frame["result"]))]
            case "tool_call_error":
                return [message(block(frame, f"Error: {frame['error']}"))]
            case "error":
                return [message(f"Error: {frame['message']}")]
            case "done":
                return [status("Complete", done=True)]
        return []


def status(description: str, done: bool = False) -> dict:
    return {"type": "status", "data": {"description": description, "done": done}}


def message(content: str) -> dict:
    return {"type": "message", "data": {"content": content}}


def block(frame: dict, result: str) -> str:
    attributes = {
        "type": "tool_calls",
        "done": "true",
        "id": frame["tool_call_id"],
        "name": frame["tool_name"],
        "arguments": json.dumps(frame.get("tool_args", {})),
        "result": json.dumps(result),
    }
    tag = " ".join(f'{name}="{html.escape(value)}"' for name, value in attributes.items())
    return f"<details {tag}>\n<summary>Tool Executed</summary>\n</details>\n\n"
