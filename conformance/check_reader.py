"""Checks `reader.py` against the cases in this directory. Prints each failure, and exits with 1 if there is any."""

import json
import sys
from pathlib import Path

from reader import Frames, Run

HERE = Path(__file__).parent


def cases(name: str) -> list[dict]:
    return json.loads((HERE / name).read_text())


def frames_of(body: bytes, size: int) -> tuple[list[dict], str]:
    frames, found = Frames(), []
    for start in range(0, len(body), size):
        found += frames.push(body[start : start + size])
    found += frames.end()
    return found, frames.last_id


def fold_all(events: list[dict]) -> dict:
    run = Run()
    for seq, event in enumerate(events, 1):
        run.fold(seq, event)
        run.fold(seq, event)  # Folding twice must change nothing.
    return run.outline()


def golden(name: str) -> list[dict]:
    lines = (HERE.parent / "golden/runs" / f"{name}.jsonl").read_text().splitlines()
    return [json.loads(line)["event"] for line in lines]


def check() -> tuple[int, list[str]]:
    failed, count = [], 0
    for case in cases("streams.json"):
        body = case["body"].encode()
        for size in (1, 2, 3, 5, len(body)):
            count += 1
            if frames_of(body, size) != (case["frames"], case["lastEventId"]):
                failed.append(f"streams: {case['name']}, {size} bytes at a time")
    for case in cases("states.json"):
        count += 1
        if fold_all(case["events"]) != case["outline"]:
            failed.append(f"states: {case['name']}")
    for name, outline in json.loads((HERE / "stories.json").read_text()).items():
        count += 1
        if fold_all(golden(name)) != outline:
            failed.append(f"stories: {name}")
    return count, failed


if __name__ == "__main__":
    count, failed = check()
    print(*failed, f"{count - len(failed)} passed, {len(failed)} failed", sep="\n")
    sys.exit(1 if failed else 0)
