import { appendFile, mkdir } from "node:fs/promises";
import path from "node:path";
import type { EndedRun } from "runcast/runner";

/** Appends the message and the answer to a file, one JSON object per line. Active runs do not wait for it. */
export const saveMessages =
  (file: string) =>
  async ({ run, request, end, entries }: EndedRun): Promise<void> => {
    const asked = request.messages.findLast(({ role }) => role === "user")?.content ?? [];
    const answer = new Map((end.answer ?? []).map((part) => [part, ""]));
    for await (const page of entries())
      for (const { event } of page)
        if (event.type === "text-delta" && answer.has(event.part))
          answer.set(event.part, answer.get(event.part) + event.delta);
    const about = { run, thread: request.thread };
    const lines = [
      { ...about, role: "user", text: asked.map((part) => (part.type === "text" ? part.text : "")).join("") },
      { ...about, role: "assistant", text: [...answer.values()].join(""), outcome: end.outcome },
    ];
    await mkdir(path.dirname(file), { recursive: true });
    await appendFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  };
