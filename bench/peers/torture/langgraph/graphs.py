"""A deep agent of LangGraph with the kit's model and tools, and one sub-agent."""

from deepagents import create_deep_agent
from kit import URL, kit
from langchain_anthropic import ChatAnthropic
from langchain_core.tools import ToolException, tool

model = ChatAnthropic(model="claude-sonnet-4-6", base_url=URL, api_key="none", max_retries=0, max_tokens=64000)


@tool
async def lookup(key: str) -> str:
    """Looks it up."""
    return await kit("lookup", key)


@tool
async def fail(key: str) -> str:
    """Fails."""
    try:
        return await kit("fail", key)
    except Exception as error:
        raise ToolException(str(error)) from None


# As in LangChain's documentation: a tool whose error goes back to the model.
fail.handle_tool_error = True


@tool
async def send(key: str) -> str:
    """Sends it."""
    return await kit("send", key)


graph = create_deep_agent(
    model=model,
    tools=[lookup, fail, send],
    name="torture",
    system_prompt="You play scenes.",
    interrupt_on={"send": True},
    subagents=[{"name": "helper", "description": "helps", "system_prompt": "You help.", "tools": [lookup]}],
)
