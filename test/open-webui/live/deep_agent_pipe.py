"""
title: Deep Agent
description: An imitation of the Deep Agent family's pipe, which shows tools in the status line and as sources.
"""

import json

import httpx
from pydantic import BaseModel


class Pipe:
    class Valves(BaseModel):
        DEEP_AGENT_URL: str = "http://localhost:8000"
        SHOW_TOOL_CITATIONS: bool = True
        SHOW_SUBAGENT_STATUS: bool = True
        REQUEST_TIMEOUT: int = 300

    def __init__(self):
        self.valves = self.Valves()

    async def pipe(self, body: dict, __event_emitter__=None, __task__=None):
        if __task__ or not __event_emitter__:
            return
        asked = {"messages": body["messages"], "stream": True}
        async with httpx.AsyncClient(timeout=self.valves.REQUEST_TIMEOUT) as client:
            url = f"{self.valves.DEEP_AGENT_URL}/chat/stream"
            async with client.stream("POST", url, json=asked) as response:
                async for line in response.aiter_lines():
                    if not line.startswith("data:"):
                        continue
                    frame = json.loads(line[5:])
                    data = frame.get("data", {})
                    if frame["type"] == "token" and data["agent_depth"] == 0:
                        yield data["content"]
                    for event in self.events(frame["type"], data):
                        await __event_emitter__(event)

    def events(self, type: str, data: dict) -> list[dict]:
        match type:
            case "status":
                return [status(data["description"])]
            case "tool_start":
                return [status(f"🔧 {data['name']}...")]
            case "tool_end" if self.valves.SHOW_TOOL_CITATIONS:
                return [source(data)]
            case "agent_start" if self.valves.SHOW_SUBAGENT_STATUS:
                return [status(f"🤖 Sub-agent: {data['name']}...")]
            case "agent_end" if self.valves.SHOW_SUBAGENT_STATUS:
                return [status("Sub-agent completed", done=True)]
            case "done":
                return [status("Complete", done=True)]
        return []


def status(description: str, done: bool = False) -> dict:
    return {"type": "status", "data": {"description": description, "done": done}}


def source(data: dict) -> dict:
    call, name = data["tool_id"], f"🔧 {data['name']}"
    about = {"source": {"id": call, "name": name}, "metadata": [{"source": call, "name": name}]}
    return {"type": "source", "data": {**about, "document": [data["result"]]}}
