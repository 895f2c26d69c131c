"""An AgentOS for tests: agents, a team and workflows, whose model is scripted. Configured with PORT, MODEL_URL and DB."""

import asyncio
import os

import uvicorn
from agno.agent import Agent
from agno.db.sqlite import SqliteDb
from agno.models.openai.like import OpenAILike
from agno.os import AgentOS
from agno.team import Team
from agno.tools import tool
from agno.workflow import Parallel, Step, StepOutput, Workflow
from agno.workflow.types import HumanReview

db = SqliteDb(db_file=os.environ["DB"])


def model():
    return OpenAILike(id="scripted", base_url=f"{os.environ['MODEL_URL']}/v1", api_key="none", retries=0)


async def get_weather(city: str) -> str:
    """The weather in a city."""
    await asyncio.sleep(0.3)
    return f"sunny in {city}"


async def get_time(city: str) -> str:
    """The time in a city."""
    await asyncio.sleep(0.1)
    return f"12:00 in {city}"


def lookup_order(order_id: str) -> str:
    """Looks up an order."""
    raise RuntimeError("order system is down")


async def slow_tool(seconds: float) -> str:
    """Takes its time."""
    await asyncio.sleep(seconds)
    return "waited"


def remember(run_context, key: str, value: str) -> str:
    """Remembers something in the session state."""
    run_context.session_state[key] = value
    return "ok"


@tool(requires_confirmation=True)
def send_mail(to: str, subject: str) -> str:
    """Sends a mail."""
    return f"sent to {to}"


@tool(requires_user_input=True, user_input_fields=["day"])
def book_table(people: int, day: str) -> str:
    """Books a table."""
    return f"table for {people} on {day}"


@tool(external_execution=True)
def show_map(city: str) -> str:
    """Shows a map in the user's browser."""
    raise AssertionError("runs elsewhere")


def publish(step_input) -> StepOutput:
    return StepOutput(content=f"published: {step_input.previous_step_content}")


def agent(name: str, tools=(), **options) -> Agent:
    return Agent(id=name, name=name.capitalize(), model=model(), tools=list(tools), telemetry=False, **options)


tools = [get_weather, get_time, lookup_order, slow_tool, remember, send_mail, book_table, show_map]
solo = agent("solo", tools, db=db, session_state={"mood": "none"}, add_history_to_context=True)
forgetful = agent("forgetful")
researcher = agent("researcher", [get_weather, get_time, send_mail, lookup_order])
crew = Team(
    id="crew", name="Crew", members=[researcher, agent("writer")], model=model(), db=db, telemetry=False
)
both = Parallel(
    Step(name="write-a", agent=agent("writer-a")), Step(name="write-b", agent=agent("writer-b")), name="both"
)
look = Step(name="look", agent=agent("looker", [get_weather, get_time]))
flow = Workflow(id="flow", name="Flow", db=db, telemetry=False, steps=[look, both])
review = HumanReview(requires_confirmation=True, confirmation_message="Publish it?")
mailing = Workflow(
    id="mailing",
    name="Mailing",
    db=db,
    telemetry=False,
    steps=[
        Step(name="mail", agent=agent("mailer", [send_mail], db=db)),
        Step(name="publish", executor=publish, human_review=review),
    ],
)

agent_os = AgentOS(agents=[solo, forgetful], teams=[crew], workflows=[flow, mailing], telemetry=False)
uvicorn.run(agent_os.get_app(), host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
