"""Checks how the pipe reads event streams, with the cases in `conformance/streams.json`. Prints each failure.

Its `httpx` and `pydantic` are replaced by the few members that it needs here, so that the standard library is enough and
the cases decide where each chunk ends.
"""

import asyncio
import importlib.util
import json
import sys
import types
from contextlib import asynccontextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]


class Server:
    """Sends the body in pieces, and ends the run when the pipe resumes. Keeps the cursor that the pipe resumes from."""

    def __init__(self, body: bytes, size: int):
        self.pieces, self.cursor = [body[start : start + size] for start in range(0, len(body), size)], None

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        pass

    @asynccontextmanager
    async def stream(self, method: str, _url: str, *, headers: dict, json=None):
        if method == "GET":
            self.pieces, self.cursor = [b"data: [DONE]\n\n"], headers["Last-Event-ID"]
        yield types.SimpleNamespace(is_success=True, headers={"Runcast-Run": "r"}, aiter_bytes=self.chunks)

    async def chunks(self):
        for piece in self.pieces:
            yield piece


def load_pipe() -> types.ModuleType:
    errors = ("ConnectError", "ConnectTimeout", "InvalidURL", "ReadTimeout", "TimeoutException", "UnsupportedProtocol")
    members = {name: type(name, (Exception,), {}) for name in errors}
    sys.modules["httpx"] = types.SimpleNamespace(AsyncClient=Server, Response=object, **members)
    sys.modules["pydantic"] = types.SimpleNamespace(BaseModel=object, Field=lambda default, **_: default)
    spec = importlib.util.spec_from_file_location("pipe", ROOT / "pipe/runcast_pipe.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.RECONNECT_SECONDS = (0,)
    return module


async def read(module: types.ModuleType, body: bytes, size: int) -> tuple[list[str], str]:
    """The data that Open WebUI gets, and the cursor."""
    pipe, server = module.Pipe(), Server(body, size)
    pipe._client = lambda: server
    frames = [frame.split("\n") async for frame in await pipe.pipe({"stream": True})]
    assert all(line.startswith("data: ") for frame in frames for line in frame), frames
    return ["\n".join(line.removeprefix("data: ") for line in frame) for frame in frames], server.cursor


def check() -> tuple[int, list[str]]:
    module, failed, count = load_pipe(), [], 0
    for case in json.loads((ROOT / "conformance/streams.json").read_text()):
        body, expected = case["body"].encode(), ([frame["data"] for frame in case["frames"]], case["lastEventId"])
        for size in (1, 2, 3, 5, len(body)):
            count += 1
            if (found := asyncio.run(read(module, body, size))) != expected:
                failed.append(f"streams: {case['name']}, {size} bytes at a time: {found}")
    return count, failed


if __name__ == "__main__":
    count, failed = check()
    print(*failed, f"{count - len(failed)} passed, {len(failed)} failed", sep="\n")
    sys.exit(1 if failed else 0)
