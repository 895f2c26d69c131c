import { describe, expect, test } from "vitest";
import { native } from "../src/dialects/native.ts";
import { createClient } from "../src/client.ts";
import { memory } from "../src/logs/memory.ts";
import { agent } from "../src/sources/agent.ts";
import { http } from "../src/sources/http.ts";
import { defineTool } from "../src/tool.ts";
import { z } from "zod";
import { askingAgent } from "./asking-agent.ts";
import { drive, playing, script } from "./drive.ts";
import { untilEnd, untilEvent } from "./running.ts";
import { ended, eventsOf, post, serve, start } from "./serving.ts";

const always = { allow: true, always: true };

describe("the agent", () => {
  test("asks again after the permission is revoked, and a later one counts", async () => {
    const pays = Array.from({ length: 5 }, () => "pay");
    let calls = 0;
    const run = await drive(askingAgent("go", ...pays), "go", (event, { answer, revoke, events }) => {
      if (event.type === "ask-start") answer(event.ask, always);
      const first = events.find((each) => each.type === "ask-start")?.ask ?? "";
      if (event.type === "tool-execute" && ++calls === 2) revoke(first);
    });
    const order = run.events.flatMap((event) =>
      event.type === "ask-start" ? ["ask"] : event.type === "tool-end" ? [event.outcome] : [],
    );
    expect(order).toEqual(["ask", "ok", "ok", "ask", "ok", "ok", "ok"]);
    expect(run.all("data").map(({ value }) => value)).toEqual([true, false, true]);
  });

  test("does not ask while another answer still allows the tool, also one given in a sub-agent", async () => {
    const pay = defineTool({
      name: "pay",
      description: "",
      input: z.object({}),
      approval: "always",
      run: () => "paid",
    });
    const call = [{ call: "pay", input: {} }];
    const { model } = playing(
      script("go", [{ call: "task", input: { agent: "payer", task: "x" } }, ...call], call, call, call, [
        { say: "done" },
      ]),
      script("x", call, [{ say: "paid" }]),
    );
    const source = agent({ name: "test", model, tools: [pay], agents: { payer: { tools: [pay] } } });
    const asks: string[] = [];
    let executed = 0;
    const run = await drive(source, "go", (event, { answer, revoke }) => {
      // Both questions are open before the first answer.
      if (event.type === "ask-start" && asks.push(event.ask) === 2) for (const ask of asks) answer(ask, always);
      else if (event.type === "ask-start" && asks.length > 2) answer(event.ask, { allow: false });
      // The task and both payments run before these.
      if (event.type === "tool-execute" && ++executed > 3) revoke(asks[executed - 4]!);
    });
    expect(run.all("tool-end").map(({ outcome }) => outcome)).toEqual([
      ...Array.from({ length: 5 }, () => "ok"),
      "denied",
    ]);
    expect(asks).toHaveLength(3);
  });
});

describe("over HTTP", () => {
  const askOf = async (log: ReturnType<typeof memory>, run: string): Promise<string> => {
    const found = { ask: "" };
    await untilEvent(log, run, (event) => event.type === "ask-start" && (found.ask = event.ask) !== "");
    return found.ask;
  };
  const isGiven = (event: { type: string; name?: string }) => event.type === "data" && event.name === "allowed";

  test("needs the right to answer, is idempotent, and is refused for what allows nothing", async () => {
    const log = memory();
    const keys = [
      { name: "ada", key: "key-of-ada-0123456789" },
      { name: "screen", key: "key-of-screen-0123456789", user: "ada", rights: ["watch" as const] },
      { name: "bob", key: "key-of-bob-0123456789" },
    ];
    const { url } = await serve(askingAgent("hi", "pay", "wait"), { log, keys });
    const bearer = (name: string) => ({ authorization: `Bearer ${keys.find((key) => key.name === name)?.key}` });
    const headers = { accept: "application/json", ...bearer("ada") };
    const { run } = (await (await post(`${url}/runs`, { message: "hi" }, headers)).json()) as { run: string };
    const ask = await askOf(log, run);
    const send = async (name: string, body: object, to = ask) => {
      const response = await post(`${url}/runs/${run}/asks/${to}`, body, bearer(name));
      const { status, error } = (await response.json()) as { status?: string; error?: { code: string } };
      return [response.status, status ?? error?.code];
    };
    expect(await send("ada", { revoke: true })).toEqual([409, "not-revocable"]);
    expect(await send("ada", { revoke: false })).toEqual([400, "bad-request"]);
    expect(await send("ada", always)).toEqual([200, "accepted"]);
    await untilEvent(log, run, isGiven);
    expect(await send("screen", { revoke: true })).toEqual([403, "not-allowed"]);
    expect(await send("bob", { revoke: true })).toEqual([404, "unknown-run"]);
    expect(await send("ada", { revoke: true }, "nothing")).toEqual([404, "unknown-ask"]);
    expect(await send("ada", { revoke: true })).toEqual([200, "accepted"]);
    expect(await send("ada", { revoke: true })).toEqual([200, "same"]);
    // The answer itself stays.
    expect(await send("ada", always)).toEqual([200, "same"]);
    await post(`${url}/runs/${run}/cancel`, {}, bearer("ada"));
    await untilEnd(log, run);
    expect(await send("ada", { revoke: true })).toEqual([409, "ask-closed"]);
  });

  test("an agent on another server keeps its permissions there", async () => {
    const [near, far] = [memory(), memory()];
    const there = await serve(askingAgent("hi", "pay", "pay", "wait"), { log: far });
    const here = await serve(http({ dialect: native, url: there.url }), { log: near });
    const run = await start(here.url);
    const ask = await askOf(near, run);
    const client = createClient({ url: here.url });
    await client.answer(run, ask, always);
    await untilEvent(near, run, (event) => event.type === "ask-start" && event.title === "Allow wait?");
    await expect(client.revoke(run, ask)).rejects.toMatchObject({ code: "not-revocable" });
    const [upstream] = await far.list({ limit: 1 });
    await createClient({ url: there.url }).revoke(upstream!.run, ask);
    await untilEvent(near, run, (event) => event.type === "data" && event.value === false);
    await client.cancel(run);
    const given = eventsOf(await ended(here.url, run)).filter(isGiven);
    expect(given.map((event) => event.type === "data" && event.value)).toEqual(["upstream", false]);
  });
});
