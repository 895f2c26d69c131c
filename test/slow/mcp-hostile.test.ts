import { describe, expect, test } from "vitest";
import { hostileHttp, hostileStdio, calling, textOf, toolkit } from "../tools/mcp-servers.ts";

const openStreams = async (url: string): Promise<number> => Number(await (await fetch(new URL("/open", url))).text());

describe("a hostile MCP server", () => {
  test.each(["cancelled", "timeout", "answered"])("cannot keep the stream of a call that is %s", async (how) => {
    const { url } = await hostileHttp();
    const tools = toolkit({ servers: { bad: { url } } });
    const call = how === "answered" ? "bad__answered" : "bad__hang";
    const { ends } = await calling(
      tools,
      [[[call], [call], [call]]],
      (event, driving) => {
        if (event.type === "tool-execute" && how === "cancelled") driving.cancel("call", event.call);
      },
      {},
      how === "timeout" ? { toolTimeoutMs: 200 } : {},
    );
    expect(ends.map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: 3 }, () => (how === "answered" ? "ok" : how)),
    );
    await expect.poll(() => openStreams(url), { timeout: 5000 }).toBe(0);
  });

  test.each([
    ["progress by HTTP", "flood", hostileHttp],
    ["progress by stdio", "flood", hostileStdio],
    ["logs by HTTP", "chatter", hostileHttp],
    ["logs by stdio", "chatter", hostileStdio],
  ])("cannot flood a run: %s", async (_, name, start) => {
    const tools = toolkit({ servers: { bad: await start() } });
    const { ends, events, all } = await calling(tools, [[[`bad__${name}`]]], () => {}, {}, { toolTimeoutMs: 5000 });
    // A server that sends fast enough to delay others loses its connection before the call times out.
    expect(["mcp-server-lost", "timeout"]).toContain(ends[0]?.error?.code);
    expect(all("tool-progress").length).toBeLessThanOrEqual(200);
    expect(Buffer.byteLength(JSON.stringify(events))).toBeLessThan(1024 * 1024);
  });

  test.each([
    ["HTTP", hostileHttp],
    ["stdio", hostileStdio],
  ])("can ask only a few times in one call, which is abandoned if it continues: %s", async (_, start) => {
    const tools = toolkit({ servers: { bad: await start() } });
    const { ends, all } = await calling(tools, [[["bad__ask"]]], (event, { answer }) => {
      if (event.type === "ask-start") answer(event.ask, { allow: true, value: "x" });
    });
    expect(all("ask-start").length).toBeLessThanOrEqual(16);
    // So many questions at the same time may also look like a flood.
    expect(["mcp-too-many-asks", "mcp-server-lost"]).toContain(ends[0]?.error?.code);
  });

  test.each([
    ["HTTP", hostileHttp, "The server's response is larger than 16777216 bytes."],
    ["stdio", hostileStdio, "The MCP server bad disconnected during the call: its response is too large."],
  ])("cannot fill the memory with one result: %s", async (_, start, message) => {
    const tools = toolkit({ servers: { bad: await start() } });
    const { ends } = await calling(tools, [[["bad__huge", { bytes: 400 * 1024 * 1024 }]]]);
    expect(ends[0]).toMatchObject({ outcome: "error", error: { message: expect.stringContaining(message) } });
    const small = await calling(tools, [[["bad__huge", { bytes: 1024 * 1024 }]]]);
    expect(textOf(small.ends[0])).toHaveLength(1024 * 1024);
  });
});
