"""Graphs for tests, whose model is scripted: an agent, a deep agent with sub-agents, and a graph without tools. The model is at MODEL_URL."""

import asyncio
import os
from typing import Annotated, TypedDict

from deepagents import create_deep_agent
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, TodoListMiddleware
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AnyMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.graph import END, START, StateGraph, add_messages
from langgraph.types import interrupt

model = ChatAnthropic(
    model="claude-sonnet-4-6",
    base_url=os.environ["MODEL_URL"],
    api_key="none",
    max_retries=0,
    max_tokens=4096,
    thinking={"type": "enabled", "budget_tokens": 1024},
)


@tool
async def get_weather(city: str) -> str:
    """The weather in a city."""
    await asyncio.sleep(0.3)
    return f"sunny in {city}"


@tool
async def get_time(city: str) -> str:
    """The time in a city."""
    await asyncio.sleep(0.1)
    return f"12:00 in {city}"


@tool
def lookup_order(order_id: str) -> str:
    """Looks up an order."""
    raise RuntimeError("order system is down")


@tool
async def slow_tool(seconds: float) -> str:
    """Takes its time."""
    await asyncio.sleep(seconds)
    return "waited"


@tool
def send_mail(to: str, subject: str) -> str:
    """Sends a mail."""
    return f"sent to {to}"


@tool
def book_table(people: int) -> str:
    """Books a table."""
    day = interrupt({"question": "Which day?", "options": ["Monday", "Tuesday"]})
    return f"table for {people} on {day}"


@tool
def show_map(city: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> str:
    """Shows a map in the user's browser."""
    return interrupt({"type": "tool", "tool_call": {"id": tool_call_id, "name": "show_map", "args": {"city": city}}})


tools = [get_weather, get_time, lookup_order, slow_tool, send_mail, book_table, show_map]
approval = {"send_mail": {"allowed_decisions": ["approve", "edit", "reject"]}}
solo = create_agent(model=model, tools=tools, name="solo", middleware=[HumanInTheLoopMiddleware(interrupt_on=approval)])
deep = create_deep_agent(
    model=model,
    tools=tools,
    name="deep",
    system_prompt="You lead.",
    middleware=[TodoListMiddleware()],
    interrupt_on={"send_mail": True},
    subagents=[
        {
            "name": "researcher",
            "description": "looks things up",
            "system_prompt": "You look things up.",
            "tools": [get_weather, get_time, send_mail],
            "interrupt_on": {"send_mail": True},
        },
        {"name": "writer", "description": "writes", "system_prompt": "You write.", "tools": []},
    ],
)


class Draft(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    draft: str


async def write(state: Draft):
    answer = await model.ainvoke(state["messages"])
    return {"messages": [answer], "draft": answer.text}


def review(state: Draft):
    verdict = interrupt({"draft": state["draft"], "ask": "publish?"})
    return {"draft": f"{state['draft']} (published: {verdict})"}


custom = (
    StateGraph(Draft)
    .add_node("write", write)
    .add_node("review", review)
    .add_edge(START, "write")
    .add_edge("write", "review")
    .add_edge("review", END)
    .compile(name="custom")
)
