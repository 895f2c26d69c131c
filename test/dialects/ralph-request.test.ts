import { describe, expect, test } from "vitest";
import { ralph } from "../../src/dialects/ralph.ts";
import { read, refused } from "./dialect-frames.ts";

describe("requests", () => {
  const body = {
    user_id: "u1",
    chat_id: "t1",
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: "Hello" },
      { role: "assistant", content: "" },
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "image_url", image_url: { url: "https://example.org/a.png" } },
        ],
      },
    ],
  };

  test("a client's request is a start, and writing it again returns the same request", () => {
    for (const [path, agent] of [["/ralph/chat/stream"], ["/ralph/my%20agent/chat/stream", "my agent"]] as const) {
      const command = read(ralph, { path, headers: { "runcast-extensions": "1" }, body });
      expect(command).toMatchObject({ do: "start", extensions: true, request: { thread: "t1", user: { id: "u1" } } });
      expect(command.do === "start" && command.request.agent).toBe(agent);
      const written = ralph.write(command);
      expect([written.path, JSON.parse(written.body!)]).toEqual([path, body]);
      expect(read(ralph, written)).toEqual(command);
    }
  });

  test("ids may be missing or empty", () => {
    const messages = [{ role: "user", content: "hi" }];
    const request = { messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }] };
    for (const ids of [{}, { user_id: "", chat_id: "" }])
      expect(read(ralph, { path: "/ralph/chat/stream", body: { ...ids, messages } })).toEqual({ do: "start", request });
  });

  test("a history may have any role, and unknown parts", () => {
    const messages = [
      { role: "developer", content: "Be kind." },
      { role: "assistant", content: null },
      { role: "tool", content: "sunny" },
      { role: "robot", content: [{ type: "text", text: "beep" }, { type: "hologram" }, {}] },
      { role: "user", content: "hi" },
    ];
    const command = read(ralph, { path: "/ralph/chat/stream", body: { messages } });
    const text = (words: string) => [{ type: "text", text: words }];
    expect(command.do === "start" && command.request.messages).toEqual([
      { role: "system", content: text("Be kind.") },
      { role: "assistant", content: [] },
      { role: "assistant", content: text("sunny") },
      { role: "assistant", content: text("beep") },
      { role: "user", content: text("hi") },
    ]);
  });

  test.each([undefined, {}, { messages: [] }, { messages: [{ role: "user", content: 7 }] }])(
    "%j is refused in the family's format",
    (bad) => {
      const refusal = refused(() => read(ralph, { path: "/ralph/chat/stream", body: bad }));
      expect(refusal.status).toBe(422);
      const { body: text } = ralph.refuse({ code: refusal.code, message: refusal.message, status: 422 });
      expect(JSON.parse(text)).toEqual({ detail: refusal.message });
    },
  );
});
