"""The smallest agent outside of Runcast: one POST endpoint that responds with server-sent events. No dependencies."""

import json
import sys
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def answer(messages):
    """Yields the events of one run. See PROTOCOL.md for the grammar."""
    city = messages[-1]["content"][0]["text"]
    call = f"forecast-{uuid.uuid4().hex[:8]}"
    yield {"type": "step-start", "step": "look"}
    yield {"type": "text-start", "part": "before"}
    for word in ["Let ", "me ", "look."]:
        yield {"type": "text-delta", "part": "before", "delta": word}
    yield {"type": "text-end", "part": "before"}
    yield {"type": "tool-start", "call": call, "name": "forecast"}
    yield {"type": "tool-input-end", "call": call, "input": {"city": city}}
    yield {"type": "step-end", "step": "look", "finish": "tools"}
    yield {"type": "tool-execute", "call": call}
    sky = f"clear over {city}"  # Do the work here: everything yielded so far is already on the screen.
    yield {"type": "tool-end", "call": call, "outcome": "ok", "content": [{"type": "text", "text": sky}]}
    yield {"type": "step-start", "step": "answer"}
    yield {"type": "text-start", "part": "after"}
    yield {"type": "text-delta", "part": "after", "delta": f"It is {sky}."}
    yield {"type": "text-end", "part": "after"}
    yield {"type": "step-end", "step": "answer", "finish": "stop"}
    yield {"type": "run-end", "outcome": "done"}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in answer(request["messages"]):
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()


port = int(sys.argv[1]) if len(sys.argv) > 1 else 8000
server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
print(f"listening on http://127.0.0.1:{port}", flush=True)
server.serve_forever()
