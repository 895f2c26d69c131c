"""
title: Runcast
description: Watch an agent work: every tool, thought and sub-agent as it happens, with approvals and questions as dialogs.
version: 0.1.0
license: MIT
required_open_webui_version: 0.10.0
"""

import asyncio
import base64
import codecs
import json
import logging
import pathlib
from typing import Any, AsyncIterator
from urllib.parse import quote

import httpx
from pydantic import BaseModel, Field

try:
    from open_webui.env import VERSION as OPEN_WEBUI_VERSION
    from open_webui.models.files import Files
    from open_webui.storage.provider import Storage
except ImportError:
    OPEN_WEBUI_VERSION, Files, Storage = "", None, None

PIPE_VERSION = "0.1.0"
COMPLETIONS = "/open-webui/v1/chat/completions"
RUNS = "/open-webui/v1/runs"
CONNECT_SECONDS = 10
# The delays between retries. A restarting server is back within their sum, and the run resumes where it was cut.
RECONNECT_SECONDS = (0.5, 1, 2, 4, 8)
ASK_AGAIN_SECONDS = 5
# Below the server's default limits, because it refuses a chat that exceeds them.
DOCUMENTS_BYTES, MOST_DOCUMENTS = 10 * 2**20, 50
ANSWER_TAKEN_OR_TOO_LATE = (404, 409, 410)

log = logging.getLogger("runcast_pipe")


def _style_field(description: str) -> Any:
    return Field("", description=description, json_schema_extra={"input": {"type": "select", "options": "style_options"}})


class _Styled(BaseModel):
    """Settings with a style. Open WebUI blocks while it requests the options, so they must be available immediately."""

    @classmethod
    def style_options(cls) -> list[dict]:
        return [{"value": "", "label": "Default"}, *({"value": style, "label": style} for style in Pipe.styles)]


class Pipe:
    # The styles that the server listed last. Empty if it was not reached yet, or is too old to list them.
    styles: tuple[str, ...] = ()

    class Valves(_Styled):
        RUNCAST_URL: str = Field("http://localhost:4400", description="URL of the Runcast server")
        API_KEY: str = Field("", description="Runcast's key, if it requires one", json_schema_extra={"input": {"type": "password"}})
        STYLE: str = _style_field("How tools are shown. Default: set by the model's name or the server")
        SHOW_TOOL_CITATIONS: bool = Field(True, description="Below the answer, show the sources that tools cite")
        SHOW_SUBAGENT_STATUS: bool = Field(True, description="Show sub-agent activity in the status line")
        REQUEST_TIMEOUT: float = Field(300, gt=0, description="Give up after this many seconds without data")
        ALLOW_EXECUTE: bool = Field(False, description="Let the agent run JavaScript in the user's page")
        DEBUG: bool = Field(False, description="Show run, mode and versions in the status line, and log stack traces")

    class UserValves(_Styled):
        STYLE: str = _style_field("How tools are shown. Default: the administrator's choice")

    def __init__(self):
        self.valves = self.Valves()
        self.leaving: set[asyncio.Task] = set()

    async def pipes(self) -> list[dict]:
        """The agents, each as a separate model."""
        try:
            async with self._client() as client:
                response = await client.get("/open-webui/v1/models", headers=self._key())
                response.raise_for_status()
                listed = response.json()
                Pipe.styles = tuple(listed.get("styles") or ())
                return [{"id": model["id"], "name": model.get("name") or model["id"]} for model in listed["data"]]
        except Exception as error:
            log.warning("no models from %s: %s", self.valves.RUNCAST_URL, error)
            # Without an entry the pipe would vanish from the list, and with it the place that reports the problem.
            return [{"id": "default", "name": "Runcast (unreachable)"}]

    async def pipe(
        self, body: dict, __user__: dict | None = None, __metadata__: dict | None = None, __event_emitter__=None,
        __event_call__=None, __task__: str | None = None, __oauth_token__: dict | None = None, __files__: list | None = None
    ):
        user = __user__ or {}
        headers = self._headers(user, __metadata__ or {}, __task__, __oauth_token__)
        model = body.get("model", "")
        settings = user["valves"].model_dump() if user.get("valves") else {}
        files = [] if __task__ else await _documents(__files__ or [], user.get("id"))
        body = {**body, "model": model.partition(".")[2] or model, "runcast": {"settings": settings, "files": files}}
        if not body.get("stream"):
            return await self._whole(body, headers)
        return _Stream(self, headers, __event_emitter__, __event_call__).lines(body)

    def _client(self) -> httpx.AsyncClient:
        silence = httpx.Timeout(self.valves.REQUEST_TIMEOUT, connect=CONNECT_SECONDS)
        return httpx.AsyncClient(base_url=self.valves.RUNCAST_URL.rstrip("/"), timeout=silence)

    def _key(self) -> dict:
        return {"Authorization": f"Bearer {self.valves.API_KEY}"} if self.valves.API_KEY else {}

    def _headers(self, user: dict, metadata: dict, task: str | None, oauth: dict | None) -> dict:
        valves, chosen = self.valves, user.get("valves")
        mode = (metadata.get("params") or {}).get("function_calling") or "native"
        style = (chosen.STYLE if chosen else "") or valves.STYLE
        headers = {
            "Runcast-Pipe": f"version={PIPE_VERSION}; open-webui={OPEN_WEBUI_VERSION}; mode={mode}; "
            f"execute={valves.ALLOW_EXECUTE:d}; citations={valves.SHOW_TOOL_CITATIONS:d}; "
            f"subagent-status={valves.SHOW_SUBAGENT_STATUS:d}; debug={valves.DEBUG:d}",
            "Runcast-Disconnect": "continue",
            # Omitted if the server lacks the style, because it would refuse the chat. Sent if its styles are unknown.
            "Runcast-Style": style if not self.styles or style in self.styles else "",
            "Runcast-Secret-Open-Webui-Token": (oauth or {}).get("access_token"),
            "X-OpenWebUI-Task": task,
            "X-OpenWebUI-Chat-Id": metadata.get("chat_id"),
            "X-OpenWebUI-Message-Id": metadata.get("message_id"),
            **{f"X-OpenWebUI-User-{field.title()}": user.get(field) for field in ("id", "name", "email", "role")},
        }
        return self._key() | {name: quote(str(value), safe=" ;=.@:/+~") for name, value in headers.items() if value}

    async def _whole(self, body: dict, headers: dict) -> dict:
        try:
            async with self._client() as client:
                response = await client.post(COMPLETIONS, json=body, headers=headers)
                if not response.is_success:
                    raise Refused(_refusal(response, response.content))
                return response.json()
        except Exception as error:
            return {"error": {"detail": self.sentence(error)}}

    def leave(self, run: str, headers: dict, event_emitter) -> None:
        """Cancels the run in a separate task, so the caller does not wait for it."""
        if run:
            task = asyncio.create_task(self._cancel(run, headers, event_emitter))
            self.leaving.add(task)
            task.add_done_callback(self.leaving.discard)

    async def _cancel(self, run: str, headers: dict, event_emitter) -> None:
        try:
            if event_emitter:
                # The stream is already closed, so the last status line would otherwise stay forever.
                await event_emitter({"type": "status", "data": {"description": "Stopped", "done": True}})
            async with self._client() as client:
                await client.post(f"{RUNS}/{run}/cancel", json={}, headers=headers)
        except Exception as error:
            log.warning("run %s could not be cancelled: %s", run, error)

    def sentence(self, error: Exception) -> str:
        url = self.valves.RUNCAST_URL
        if isinstance(error, (Refused, Broken)) and str(error):
            return str(error)
        if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)):
            return f"Runcast is not reachable at {url}: start it, or correct RUNCAST_URL in the pipe's valves."
        if isinstance(error, httpx.TimeoutException):
            return f"Runcast at {url} sent nothing for {self.valves.REQUEST_TIMEOUT:g} s. Check the server and any proxies in front of it."
        if isinstance(error, (httpx.InvalidURL, httpx.UnsupportedProtocol)):
            return f"{url!r} is not a valid URL: correct RUNCAST_URL in the pipe's valves."
        return f"The connection to Runcast at {url} was lost, so the answer is incomplete. Send the message again."


class Refused(Exception):
    """A refusal with the server's message."""


class Broken(Exception):
    """The stream stopped before its end. It can be resumed."""


class _Stream:
    """Forwards one run frame by frame. Parses only the data of frames addressed to the pipe."""

    def __init__(self, pipe: Pipe, headers: dict, event_emitter, event_call):
        self.pipe, self.headers, self.event_emitter, self.event_call = pipe, headers, event_emitter, event_call
        self.run = self.cursor = ""
        self.is_over, self.will = False, []
        self.dialogs: dict[str, asyncio.Task] = {}

    async def lines(self, body: dict) -> AsyncIterator[str]:
        waits = list(RECONNECT_SECONDS)
        try:
            async with self.pipe._client() as client:
                while not self.is_over:
                    before = self.cursor
                    try:
                        async for line in self._connect(client, body):
                            yield line
                    except Exception as error:
                        if self.cursor != before:
                            waits = list(RECONNECT_SECONDS)
                        if not self.run or not waits or isinstance(error, (Refused, httpx.ReadTimeout)):
                            raise
                        await asyncio.sleep(waits.pop(0))
        except (GeneratorExit, asyncio.CancelledError):
            # The user pressed Stop. Cancel explicitly: the server does not cancel when a connection breaks.
            self.pipe.leave(self.run, self.headers, self.event_emitter)
            raise
        except Exception as error:
            log.warning("%s", error, exc_info=self.pipe.valves.DEBUG)
            # The will: lines from the server that close open tools, which Open WebUI would otherwise run.
            over = {"description": "Runcast: connection lost" if self.run else "Runcast: no response", "done": True}
            last = {"event": {"type": "status", "data": over}}, {"error": {"message": self.pipe.sentence(error)}}
            for line in (*self.will, *last):
                yield f"data: {json.dumps(line)}"
        finally:
            for dialog in self.dialogs.values():
                dialog.cancel()

    async def _connect(self, client: httpx.AsyncClient, body: dict) -> AsyncIterator[str]:
        endpoint = ("GET", f"{RUNS}/{self.run}/events") if self.run else ("POST", COMPLETIONS)
        resumed = {"headers": self.headers | {"Last-Event-ID": self.cursor}}
        async with client.stream(*endpoint, **(resumed if self.run else {"headers": self.headers, "json": body})) as response:
            if not response.is_success:
                refusal = _refusal(response, await response.aread())
                # A server that is starting, or a proxy in front of it, may refuse for a while.
                raise Broken(refusal) if self.run and response.is_server_error else Refused(refusal)
            self.run = response.headers.get("Runcast-Run", self.run)
            async for self.cursor, data in _frames(response, self.cursor):
                if data and self._is_for_open_webui(client, "\n".join(data)):
                    yield "\n".join(f"data: {line}" for line in data)
        if not self.is_over:
            raise Broken

    def _is_for_open_webui(self, client: httpx.AsyncClient, data: str) -> bool:
        if data == "[DONE]":
            self.is_over = True
            return False
        if not data.startswith('{"runcast":'):
            return True
        message = json.loads(data)["runcast"]
        self.will = message.get("will", self.will)
        if "call" in message and self.event_call:
            self.dialogs[message["answer"]] = asyncio.create_task(self._ask(client, message["call"], message["answer"]))
        if dialog := self.dialogs.pop(message.get("answered", ""), None):
            dialog.cancel()
        return False

    async def _ask(self, client: httpx.AsyncClient, call: dict, path: str) -> None:
        while True:
            try:
                result = await self.event_call(call)
                response = await client.post(path, json={"result": result}, headers=self.headers)
                if response.is_success or response.status_code in ANSWER_TAKEN_OR_TOO_LATE:
                    return
                log.info("%s: %s", path, _refusal(response, response.content))
            except Exception as error:
                log.info("%s: %s", path, error)
            # The dialog timed out, the tab was closed, or the server restarted, and the run is still waiting.
            await asyncio.sleep(ASK_AGAIN_SECONDS)


async def _documents(items: list, user: str | None) -> list[dict]:
    """The chat's documents. Only the user's own: the browser chooses the ids, and Open WebUI does not check them."""
    documents, left = [], DOCUMENTS_BYTES
    for item in items[-MOST_DOCUMENTS:]:
        try:
            file = await Files.get_file_by_id_and_user_id(item["id"], user)
            if file and (left := left - file.meta["size"]) >= 0:
                path = pathlib.Path(await asyncio.to_thread(Storage.get_file, file.path))
                data = base64.b64encode(await asyncio.to_thread(path.read_bytes)).decode()
                kind = file.meta.get("content_type") or "application/octet-stream"
                documents.append({"type": "file", "name": file.filename, "mediaType": kind, "data": data})
        except Exception as error:
            log.warning("the document %s is not sent: %s", item.get("name"), error)
    return documents


async def _frames(response: httpx.Response, cursor: str) -> AsyncIterator[tuple[str, list[str]]]:
    """Each frame's cursor and lines of data. httpx's own line iterator also splits at characters that JSON may contain."""
    decoder, is_after_cr, rest, data = codecs.getincrementaldecoder("utf-8-sig")("replace"), False, "", []
    async for chunk in response.aiter_bytes():
        # CR LF is one line break, even if a chunk ends between the two.
        rest += decoder.decode(chunk.removeprefix(b"\n") if is_after_cr else chunk)
        is_after_cr = chunk.endswith(b"\r")
        *lines, rest = rest.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in lines:
            field, _, value = line.partition(":")
            if field == "data":
                data.append(value.removeprefix(" "))
            elif field == "id" and "\0" not in value:
                cursor = value.removeprefix(" ")
            elif not line:
                yield cursor, data
                data = []


def _refusal(response: httpx.Response, content: bytes) -> str:
    try:
        error = json.loads(content)["error"]
        words = "API_KEY in the valves is missing or wrong" if error.get("code") == "invalid_api_key" else error["message"]
    except Exception:
        words = f"it returned {response.status_code} {response.reason_phrase}"
    return f"Runcast refused: {words}.".replace("..", ".")
