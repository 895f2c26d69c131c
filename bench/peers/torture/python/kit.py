"""The kit's tools, for agents in Python: no packages except the standard library."""

import asyncio
import json
import os
import urllib.error
import urllib.request

URL = os.environ["TORTURE_URL"]


class ToolFailure(Exception):
    """The tool must fail, for this reason."""


def call(tool: str, key: str) -> str:
    request = urllib.request.Request(f"{URL}/tools/{tool}", json.dumps({"key": key}).encode(), method="POST")
    try:
        with urllib.request.urlopen(request) as response:
            return response.read().decode()
    except urllib.error.HTTPError as error:
        raise ToolFailure(error.read().decode()) from None


async def kit(tool: str, key: str) -> str:
    return await asyncio.to_thread(call, tool, key)
