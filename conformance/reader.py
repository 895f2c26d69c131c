"""A reader of the Runcast protocol in one file, using only the standard library: follows a run and prints its result.

`Frames` reads an event stream, `Run` folds entries, `follow` resumes until the run has ended. The cases in this
directory test each of them.
"""

import argparse
import codecs
import http.client
import json
import time
import urllib.error
import urllib.request
from copy import deepcopy

PROTOCOL = 2


class Frames:
    """Parses an event stream as specified by the HTML standard, in chunks of any size.

    Does not use `splitlines`, because NEL and similar characters are not line breaks.
    """

    def __init__(self):
        self.last_id = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text, self._is_first = "", True
        self._frame = {"data": []}

    def push(self, piece: bytes) -> list[dict]:
        text = self._text + self._decoder.decode(piece)
        if self._is_first and text:
            text, self._is_first = text.removeprefix("\ufeff"), False
        # A CR at the end may be the first half of a line break.
        held = "\r" if text.endswith("\r") else ""
        *lines, rest = text.removesuffix(held).replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._text = rest + held
        return [frame for line in lines if (frame := self._line(line))]

    def end(self) -> list[dict]:
        # A CR that nothing followed was a line break. An incomplete frame is discarded.
        return self.push(b"\n") if self._text.endswith("\r") else []

    def _line(self, line: str) -> dict | None:
        if line == "":
            frame, self._frame = self._frame, {"data": []}
            if "id" in frame:
                self.last_id = frame["id"]
            return {**frame, "data": "\n".join(frame["data"])} if frame["data"] else None
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._frame["data"].append(value)
        elif field == "event" and value:
            self._frame["event"] = value
        elif field == "id" and "\0" not in value:
            self._frame["id"] = value
        return None


class Run:
    """The state of a log so far. `fold` applies the next entry, `outline` returns the state as plain values."""

    def __init__(self):
        self.seq, self.outcome, self.error, self.answer, self.awaiting = 0, None, None, [], []
        self.usage, self.data = {}, {}
        self._root = {"items": [], "usage": {}}
        self._nodes, self._cuts = {}, []

    def fold(self, seq: int, event: dict) -> None:
        if seq <= self.seq:
            return
        if seq != self.seq + 1:
            raise LookupError(f"entry {seq} came after {self.seq}")
        if event["type"] == "run-start" and event["protocol"] > PROTOCOL:
            raise ValueError(f"this log uses protocol {event['protocol']}; this reader reads up to {PROTOCOL}")
        self.seq = seq
        self._apply(event)

    def outline(self) -> dict:
        texts = [self._nodes[part]["text"] for part in self.answer]
        return given(
            seq=self.seq, outcome=self.outcome, error=self.error, usage=self.usage, answer="\n\n".join(texts),
            awaiting=self.awaiting, status=self._root.get("status"), data=self.data, items=outlined(self._root["items"]),
        )  # fmt: skip

    def _apply(self, event: dict) -> None:
        kind = event["type"].partition("-")[0]
        match event["type"]:
            case "run-resume":
                cut = [id for seq, id in self._cuts if seq > event["after"]]
                self._cuts = []
                self._add({}, {"kind": "resume", "reason": event["reason"], "cut": cut})
            case "run-end":
                self.outcome, self.error = event["outcome"], event.get("error")
                self.answer, self.awaiting = event.get("answer", []), event.get("awaiting", [])
                self.usage = event.get("usage", self.usage)
                self._root.pop("status", None)
            case "agent-start":
                node = {"kind": kind, "id": event["agent"], "name": event["name"], "usage": {}, "items": []}
                # Placed in the call that caused it, or in its parent.
                self._add({**given(call=event.get("call")), "agent": event.get("parent")}, node)
            case "agent-end":
                self._end(event, event["agent"], "outcome", "error", "usage")
            case "step-start":
                self._add(event, {"kind": kind, "id": event["step"]})
            case "step-retry":
                step = self._nodes[event["step"]]
                step["retries"] = step.get("retries", 0) + 1
            case "step-end":
                self._end(event, event["step"], "finish", "usage")
                agent, more = self._agent(event.get("agent")), event.get("usage", {})
                self.usage, agent["usage"] = total(self.usage, more), total(agent["usage"], more)
            case "text-start" | "thinking-start":
                if "replaces" in event:
                    self._nodes[event["replaces"]]["replacedBy"] = event["part"]
                self._add(event, {"kind": kind, "id": event["part"], "text": "", "open": True})
            case "text-delta" | "thinking-delta":
                self._nodes[event["part"]]["text"] += event["delta"]
            case "text-end" | "thinking-end":
                del self._end(event, event["part"], "cut")["open"]
            case "tool-start":
                if "repeats" in event:
                    self._nodes[event["repeats"]]["repeatedBy"] = event["call"]
                call = {"kind": "call", "id": event["call"], "name": event["name"], "state": "pending"}
                self._add(given(agent=event.get("agent")), {**call, "output": [], "items": [], "_text": ""})
            case "ask-start":
                self._add(event, {"kind": kind, "id": event["ask"], "asks": event["kind"]})
            case "ask-end":
                self._end(event, event["ask"], "outcome", "answer", "by")
            case "status":
                node = self._nodes[event["call"]] if "call" in event else self._agent(event.get("agent"))
                node["status"] = event["text"] or None
            case "citation" | "file" | "embed" | "notice":
                self._mark(event)
            case "data":
                self._replace(event)
            case other if other.startswith("tool-"):
                self._work(event, self._nodes[event["call"]])
            # Event types of later versions are ignored.

    def _work(self, event: dict, call: dict) -> None:
        match event["type"]:
            case "tool-input-delta":
                call["_text"] += event["delta"]
            case "tool-input-end" if call["_text"]:
                try:
                    call["input"] = json.loads(call["_text"])
                except ValueError:
                    pass  # Arguments that are not JSON are ignored.
            case "tool-input-end" | "tool-execute":
                if event["type"] == "tool-execute":
                    call["state"] = "executing"
                call.update({"input": event["input"]} if "input" in event else {})
            case "tool-progress":
                call["progress"] = {key: event[key] for key in ("note", "fraction", "value") if key in event}
            case "tool-output-delta":
                if not call["output"] or call["output"][-1][0] != event["stream"]:
                    call["output"].append([event["stream"], ""])
                call["output"][-1][1] += event["delta"]
            case "tool-end":
                self._end(event, event["call"], "content", "value", "error", "ms")["state"] = event["outcome"]

    def _agent(self, agent: str | None) -> dict:
        return self._root if agent is None else self._nodes[agent]

    def _add(self, event: dict, node: dict) -> None:
        owner = self._nodes[event["call"]] if "call" in event else self._agent(event.get("agent"))
        owner["items"].append(node)
        if "id" in node:
            self._nodes[node["id"]] = node

    def _end(self, event: dict, id: str, *fields: str) -> dict:
        """Ends a node: removes its status and records whether it was cut."""
        node = self._nodes[id]
        if "interrupted" in (event.get("outcome"), event.get("finish")) or event.get("cut"):
            self._cuts.append((self.seq, id))
        node.pop("status", None)
        node.update({key: event[key] for key in fields if key in event})
        return node

    def _mark(self, event: dict) -> None:
        fields = {key: value for key, value in event.items() if key not in ("type", "agent", "call", "meta")}
        id = f"embed {event['embed']}" if event["type"] == "embed" else None
        if id in self._nodes:
            self._nodes[id]["_fields"] = fields
        else:
            self._add(event, {"kind": event["type"], **given(id=id), "_fields": fields})

    def _replace(self, event: dict) -> None:
        key = event["name"] if "id" not in event else f"{event['name']} {event['id']}"
        try:
            self.data[key] = patched(self.data.get(key), event["patch"]) if "patch" in event else event.get("value")
        except (LookupError, ValueError, TypeError):
            pass  # A patch that does not apply changes nothing.


def given(**fields) -> dict:
    return {key: value for key, value in fields.items() if value is not None}


def total(usage: dict, more: dict) -> dict:
    return {key: usage.get(key, 0) + more.get(key, 0) for key in {**usage, **more}}


def outlined(items: list[dict]) -> list[dict]:
    shown = []
    for item in items:
        node = {key: value for key, value in item.items() if not key.startswith("_") and (key, value) != ("status", None)}
        if "_fields" in item:
            node = {"kind": item["kind"], **item["_fields"]}
        if "items" in node:
            node["items"] = outlined(node["items"])
        shown.append(node)
    return shown


def patched(value, patch: list[dict]):
    """Returns a copy with a JSON Patch (RFC 6902) applied. Raises if it does not apply."""
    box = {"value": deepcopy(value)}

    def find(pointer: str, end: int = 0):
        if pointer and not pointer.startswith("/"):
            raise ValueError(pointer)
        target, keys = box, ["value", *pointer.split("/")[1:]]
        for index, key in enumerate(keys):
            key = key.replace("~1", "/").replace("~0", "~")
            if isinstance(target, list):
                key = len(target) if key == "-" else int(key) if str(int(key)) == key else -1
                if not 0 <= key < len(target) + (end if index == len(keys) - 1 else 0):
                    raise LookupError(pointer)
            if index == len(keys) - 1:
                return target, key
            target = target[key]

    def look(pointer, take=False):
        target, key = find(pointer)
        return target.pop(key) if take else target[key]

    def insert(pointer, new):
        target, key = find(pointer, end=1)
        if isinstance(target, list):
            target.insert(key, new)
        else:
            target[key] = new

    for step in patch:
        op, path = step["op"], step["path"]
        if op in ("remove", "replace"):
            look(path, take=True)
        if op in ("add", "replace"):
            insert(path, deepcopy(step["value"]))
        elif op == "move":
            insert(path, look(step["from"], take=True))
        elif op == "copy":
            insert(path, deepcopy(look(step["from"])))
        elif op != "remove" and (op != "test" or look(path) != step["value"]):
            raise ValueError(op)
    return box["value"]


class Refused(Exception):
    """The server permanently refuses to serve the run."""


def follow(url: str, run: Run, key: str = "", wait: float = 1.0):
    """Yields after each entry, and resumes after interruptions, until the run has ended."""
    last_id = ""
    while run.outcome is None:
        sent = {"last-event-id": last_id, "authorization": key and f"Bearer {key}", "runcast-protocol": str(PROTOCOL)}
        headers = {"accept": "text/event-stream", **{name: value for name, value in sent.items() if value}}
        request, frames = urllib.request.Request(f"{url}/events", headers=headers), Frames()
        try:
            with urllib.request.urlopen(request, timeout=45) as response:
                if response.status == 204:
                    return
                while piece := response.read1():
                    for frame in frames.push(piece):
                        # Heartbeats and similar frames have no number.
                        if frame.get("id", "").isdigit() and frame.get("event") != "snapshot":
                            run.fold(int(frame["id"]), json.loads(frame["data"]))
                            yield run
                    last_id = frames.last_id or last_id
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code not in (408, 425, 429):
                raise Refused(f"{error.code}: {error.read().decode(errors='replace')}") from None
        except (OSError, http.client.HTTPException):
            pass
        if run.outcome is None:
            time.sleep(wait)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description="Follows a run to its end and prints what came of it.")
    arguments.add_argument("url", help="the run's address: http://127.0.0.1:8787/runs/<run>")
    arguments.add_argument("--key", default="")
    arguments.add_argument("--wait", type=float, default=1.0, help="seconds before it tries again")
    options = arguments.parse_args()
    seen = Run()
    list(follow(options.url.rstrip("/"), seen, options.key, options.wait))
    print(json.dumps(seen.outline(), indent=2, ensure_ascii=False))
