"""A PydanticAI agent over AG-UI, whose model is the scripted provider at MODEL_URL. Prints the port that it listens on."""

import asyncio
import os
import socket

import uvicorn
from pydantic_ai import Agent, DeferredToolRequests, ModelRetry
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.routing import Route

model = OpenAIChatModel("scripted", provider=OpenAIProvider(base_url=os.environ["MODEL_URL"], api_key="none"))
agent = Agent(model, output_type=[str, DeferredToolRequests])


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


async def run(request):
    return await AGUIAdapter.dispatch_request(request, agent=agent)


listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
app = Starlette(routes=[Route("/agent", run, methods=["POST"])])
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])
