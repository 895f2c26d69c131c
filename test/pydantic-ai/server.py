"""A PydanticAI agent over AG-UI, whose model is the scripted provider at MODEL_URL. Prints the port that it listens on."""

import asyncio
import json
import os
import socket

import uvicorn
from pydantic_ai import Agent, DeferredToolRequests, ModelRetry
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

model = OpenAIChatModel("scripted", provider=OpenAIProvider(base_url=os.environ["MODEL_URL"], api_key="none"))
agent = Agent(model, output_type=[str, DeferredToolRequests])
helper = Agent(model)
# The messages of the last complete run, as PydanticAI keeps them.
stored = []


@agent.tool_plain
async def get_weather(city: str) -> str:
    """The weather in a city."""
    await asyncio.sleep(0.2)
    return f"sunny in {city}"


@agent.tool_plain
async def get_time(city: str) -> str:
    """The time in a city."""
    return f"12:00 in {city}"


@agent.tool_plain
def lookup_order(order: str) -> str:
    """Looks up an order."""
    raise ModelRetry(f"the order system is down, so {order} was not found")


@agent.tool_plain(requires_approval=True)
def send_mail(to: str) -> str:
    """Sends a mail."""
    return f"sent to {to}"


@agent.tool_plain
async def ask_helper(task: str) -> str:
    """Asks another agent."""
    async with helper.run_stream(task) as result:
        return await result.get_output()


@agent.tool_plain
async def slow_tool(seconds: float) -> str:
    """Takes its time."""
    await asyncio.sleep(seconds)
    return "waited"


def store(result):
    stored[:] = json.loads(result.all_messages_json())


async def run(request):
    stored.clear()
    return await AGUIAdapter.dispatch_request(request, agent=agent, on_complete=store)


async def messages(request):
    return JSONResponse(stored)


listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
app = Starlette(routes=[Route("/agent", run, methods=["POST"]), Route("/messages", messages)])
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])
