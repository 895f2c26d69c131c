"""An Agno AgentOS with one team: a leader with the kit's tools, and a helper. Configured with TORTURE_URL, PORT and DB."""

import os

import uvicorn
from agno.agent import Agent
from agno.db.sqlite import SqliteDb
from agno.models.openai.like import OpenAILike
from agno.os import AgentOS
from agno.team import Team
from agno.tools import tool
from kit import URL, kit


def model():
    return OpenAILike(id="scripted", base_url=f"{URL}/v1", api_key="none", retries=0)


async def lookup(key: str) -> str:
    """Looks it up."""
    return await kit("lookup", key)


async def fail(key: str) -> str:
    """Fails."""
    return await kit("fail", key)


@tool(requires_confirmation=True)
async def send(key: str) -> str:
    """Sends it."""
    return await kit("send", key)


db = SqliteDb(db_file=os.environ["DB"])
helper = Agent(id="helper", name="Helper", role="helps", model=model(), telemetry=False)
team = Team(
    id="torture",
    name="Torture",
    members=[helper],
    model=model(),
    tools=[lookup, fail, send],
    db=db,
    stream_member_events=True,
    telemetry=False,
)
app = AgentOS(teams=[team], telemetry=False).get_app()
uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
