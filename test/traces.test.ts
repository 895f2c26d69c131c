import { readFile, readdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { afterEach, describe, expect, test } from "vitest";
import { demoAgent } from "../src/models/demo.ts";
import { memory } from "../src/logs/memory.ts";
import type { Entry } from "../src/events.ts";
import { createSpans, type SpanStart } from "../src/traces/spans.ts";
import { ended, eventsOf, onStop, post, serve, start } from "./serving.ts";

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

/** A collector that stores what the official exporter sends in OpenTelemetry's file format: one request per line. */
const collector = async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "runcast-traces-"));
  const file = path.join(directory, "traces.jsonl");
  await writeFile(file, "");
  const server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
    await writeFile(file, `${body}\n`, { flag: "a" });
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const exporter = new OTLPTraceExporter({ url: `http://127.0.0.1:${port}/v1/traces` });
  const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] });
  trace.setGlobalTracerProvider(provider);
  onStop(async () => {
    await provider.shutdown();
    await new Promise((resolve) => server.close(resolve));
    await rm(directory, { recursive: true });
  });
  return {
    spans: async (): Promise<OtlpSpan[]> => {
      await provider.forceFlush();
      const lines = (await readFile(file, "utf8")).split("\n").filter(Boolean);
      return lines.flatMap((line) =>
        JSON.parse(line).resourceSpans.flatMap((resource: { scopeSpans: { spans: OtlpSpan[] }[] }) =>
          resource.scopeSpans.flatMap(({ spans }) => spans),
        ),
      );
    },
  };
};
afterEach(() => trace.disable());

const attribute = (span: OtlpSpan, name: string): unknown => {
  const value = span.attributes.find(({ key }) => key === name)?.value;
  return value && Object.values(value)[0];
};

/** Spans as an indented tree, in the order they started. */
const treeOf = (spans: readonly OtlpSpan[], parent?: string, depth = 0): string[] =>
  spans
    .filter(({ parentSpanId }) => (parentSpanId || undefined) === parent)
    .toSorted((one, other) => Number(attribute(one, "runcast.seq")) - Number(attribute(other, "runcast.seq")))
    .flatMap((span) => [`${"  ".repeat(depth)}${span.name}`, ...treeOf(spans, span.spanId, depth + 1)]);

const KEYS = [
  "gen_ai.agent.id",
  "gen_ai.agent.name",
  "gen_ai.conversation.id",
  "gen_ai.operation.name",
  "gen_ai.provider.name",
  "gen_ai.request.model",
  "gen_ai.response.finish_reasons",
  "gen_ai.response.time_to_first_chunk",
  "gen_ai.tool.call.id",
  "gen_ai.tool.name",
  "gen_ai.tool.type",
  "gen_ai.usage.input_tokens",
  "gen_ai.usage.output_tokens",
  "gen_ai.usage.reasoning.output_tokens",
  "runcast.outcome",
  "runcast.run",
  "runcast.seq",
  "runcast.step",
];

describe("a run's trace", () => {
  test("a run with sub-agents three deep reaches a collector as one tree of invoke_agent, chat and execute_tool", async () => {
    const { spans } = await collector();
    const log = memory();
    const { url, server } = await serve(demoAgent({ speed: Infinity }), { log });
    const run = await start(url, { message: "Show sub-agents, nested three deep", thread: "t1" });
    await ended(url, run);
    await server.close();
    const exported = await spans();
    expect(treeOf(exported)).toEqual([
      "invoke_agent test",
      "  chat demo (scripted)",
      "  execute_tool task",
      "    invoke_agent researcher",
      "      chat demo (scripted)",
      "      execute_tool task",
      "        invoke_agent reader",
      "          chat demo (scripted)",
      "          execute_tool search_notes",
      "          chat demo (scripted)",
      "          execute_tool task",
      "            invoke_agent summarizer",
      "              chat demo (scripted)",
      "              execute_tool calculate",
      "              chat demo (scripted)",
      "          chat demo (scripted)",
      "      chat demo (scripted)",
      "  chat demo (scripted)",
    ]);
    expect(new Set(exported.map(({ traceId }) => traceId)).size).toBe(1);
    const entries = await log.read(run, 0, 100_000);
    const root = exported.find(({ parentSpanId }) => !parentSpanId)!;
    expect(attribute(root, "runcast.run")).toBe(run);
    expect(attribute(root, "gen_ai.conversation.id")).toBe("t1");
    expect(Number(attribute(root, "gen_ai.usage.output_tokens"))).toBeGreaterThan(0);
    // The same ids and times as in the log.
    for (const { event, at } of entries) {
      if (event.type !== "tool-execute") continue;
      const span = exported.find((other) => attribute(other, "gen_ai.tool.call.id") === event.call)!;
      expect(BigInt(span.startTimeUnixNano)).toBe(BigInt(at) * 1_000_000n);
      expect(span.kind).toBe(1);
    }
    const chat = exported.find(({ name }) => name.startsWith("chat"))!;
    expect(chat.kind).toBe(3);
    expect(attribute(chat, "gen_ai.operation.name")).toBe("chat");
    expect(attribute(chat, "gen_ai.response.time_to_first_chunk")).toBeTypeOf("number");
    expect(attribute(chat, "gen_ai.response.finish_reasons")).toBeDefined();
    // Ids, names, numbers and codes, but no content.
    const keys = new Set(exported.flatMap(({ attributes }) => attributes.map(({ key }) => key)));
    expect([...keys].toSorted()).toEqual(KEYS);
  });

  test("marks failures by their code, and contains neither their messages nor the user's", async () => {
    const { spans } = await collector();
    const { url, server } = await serve(demoAgent({ speed: Infinity }));
    const message = "Show me a failing tool";
    const events = eventsOf(await ended(url, await start(url, { message })));
    await server.close();
    const exported = await spans();
    const { error } = events.find((event) => event.type === "tool-end")!;
    expect(error!.message).toMatch(/\w/);
    for (const content of [message, error!.message]) expect(JSON.stringify(exported)).not.toContain(content);
    const failing = exported.find(({ name }) => name === "execute_tool weather_lookup")!;
    expect(failing.status.code).toBe(2);
    expect(attribute(failing, "runcast.outcome")).toBe("error");
    expect(attribute(failing, "error.type")).toBeTruthy();
  });

  test("does not mark what the user stopped", async () => {
    const { spans } = await collector();
    const { url, server } = await serve(demoAgent({ speed: 5 }));
    const run = await start(url, { message: "Start something slow that I can stop" });
    const state = async () => JSON.stringify(await (await fetch(`${url}/runs/${run}`)).json());
    await expect.poll(state).toContain('"executing"');
    await post(`${url}/runs/${run}/cancel`, {});
    await ended(url, run);
    await server.close();
    const stopped = (await spans()).find(({ name }) => name === "execute_tool watch_deploy")!;
    expect(attribute(stopped, "runcast.outcome")).toBe("cancelled");
    expect(stopped.status.code).not.toBe(2);
  });

  test("is not created, and its log not read, without an SDK", async () => {
    const log = memory();
    let reads = 0;
    const counted = { ...log, read: (...args: Parameters<typeof log.read>) => (reads++, log.read(...args)) };
    const { server } = await serve(demoAgent({ speed: Infinity }), { log: counted });
    const { run } = await server.runner.start(
      { messages: [{ role: "user", content: [{ type: "text", text: "Just answer: are you real?" }] }] },
      { name: "demo", source: demoAgent({ speed: Infinity }) },
    );
    while ((await log.info(run))?.endedAt === undefined) await new Promise((tick) => setTimeout(tick, 1));
    await server.close();
    expect(reads).toBe(0);
  });
});

test("every golden run ends every span that it starts, each inside its parent", async () => {
  const directory = path.join(import.meta.dirname, "../golden/runs");
  for (const name of await readdir(directory)) {
    const lines = (await readFile(path.join(directory, name), "utf8")).split("\n").filter(Boolean);
    const open = new Map<string, SpanStart>();
    const started: string[] = [];
    const { take } = createSpans({
      start: (span) => {
        if (span.parent !== undefined)
          expect([name, span.name, open.has(span.parent)]).toEqual([name, span.name, true]);
        open.set(span.id, span);
        started.push(span.name);
      },
      event: (id) => expect([name, open.has(id)]).toEqual([name, true]),
      end: (id, at) => {
        expect([name, id, at >= (open.get(id)?.at ?? Infinity)]).toEqual([name, id, true]);
        open.delete(id);
      },
    });
    for (const line of lines) take(JSON.parse(line) as Entry);
    expect([name, [...open.keys()]]).toEqual([name, []]);
    expect(started[0]).toMatch(/^invoke_agent /);
  }
});
