import path from "node:path";
import { expect, test } from "vitest";
import type { Event } from "../../src/events.ts";
import { root, useCommandLine } from "../command-line.ts";

const { serve } = useCommandLine();
const config = path.join(root, "test/fixtures/stray-config.ts");

test("a stray error of a tool ends its call and is reported, and the process and all other runs continue", async () => {
  const { child, url } = await serve(["--log", "memory", "--config", config]);
  let printed = "";
  child.stderr.on("data", (text) => (printed += String(text)));
  const post = (body: object) =>
    fetch(`${url}/runs`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(body),
    }).then(async (response) => ((await response.json()) as { run: string }).run);
  const eventsOf = async (run: string): Promise<Event[]> => {
    await (await fetch(`${url}/runs/${run}/events`)).text();
    const lines = (await (await fetch(`${url}/runs/${run}/export.jsonl`)).text()).trim().split("\n");
    return lines.map((line) => (JSON.parse(line) as { event: Event }).event);
  };
  const other = await post({ message: "wait", agent: "wait" });
  for (const [message, text] of [
    ["rejection", "a stray rejection"],
    ["later_rejection", "a stray rejection"],
    ["late_throw", "a late throw"],
    ["stream", "no such file"],
  ] as const) {
    printed = "";
    const events = await eventsOf(await post({ message, agent: "strays" }));
    const end = events.find(({ type }) => type === "tool-end");
    expect(end, message).toMatchObject({ outcome: "error", error: { message: expect.stringContaining(text) } });
    expect(events.at(-1), message).toMatchObject({ type: "run-end", outcome: "done" });
    await expect.poll(() => printed).toContain(text);
  }
  const events = await eventsOf(await post({ message: "after_the_end", agent: "strays" }));
  expect(events.find(({ type }) => type === "tool-end")).toMatchObject({ outcome: "ok" });
  await expect.poll(() => printed).toContain("long after the end");
  expect(printed).toContain("uncaught error; the server continues");
  expect(child.exitCode).toBeNull();
  const { state } = (await (await fetch(`${url}/runs/${other}`)).json()) as { state: { outcome?: string } };
  expect(state.outcome).toBeUndefined();
});
