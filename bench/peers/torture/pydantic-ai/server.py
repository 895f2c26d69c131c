"""PydanticAI over AG-UI, as its documentation shows it, with the kit's model and tools. Configured with TORTURE_URL and PORT."""

import os

import uvicorn
from kit import URL, ToolFailure, kit
from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.routing import Route

model = OpenAIChatModel("scripted", provider=OpenAIProvider(base_url=f"{URL}/v1", api_key="none"))
helper = Agent(model)
agent = Agent(model, output_type=[str, DeferredToolRequests])


@agent.tool_plain
async def lookup(key: str) -> str:
    """Looks it up."""
    return await kit("lookup", key)


@agent.tool_plain
async def fail(key: str) -> str:
    """Fails."""
    try:
        return await kit("fail", key)
    except ToolFailure as error:
        raise ToolFailed(str(error)) from None


@agent.tool_plain(requires_approval=True)
async def send(key: str) -> str:
    """Sends it."""
    return await kit("send", key)


@agent.tool_plain
async def delegate(key: str) -> str:
    """Has a helper do it."""
    async with helper.run_stream(key) as result:
        return await result.get_output()


async def run(request):
    return await AGUIAdapter.dispatch_request(request, agent=agent)


app = Starlette(routes=[Route("/", run, methods=["POST"])])
uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
