import { describe, expect, test } from "vitest";
import type { Frame } from "../../src/dialect.ts";
import { agUi } from "../../src/dialects/ag-ui.ts";
import type { Entry, EventOf, EventType } from "../../src/events.ts";
import { frameText } from "../../src/sse.ts";
import { goldenRuns } from "../contracts/dialect-variants.ts";
import { generateLog } from "../generate.ts";
import { clients, type TestedClient, withoutWarnings } from "./ag-ui-clients.ts";

const link = ({ file }: { file: string }) => `https://example.org/${file}`;

/** The streams that a client gets of a run, one per segment. */
const streamsOf = (entries: readonly Entry[], style: string, extensions: boolean): Frame[][] => {
  const encode = agUi.encode({ link, style, extensions });
  const streams: Frame[][] = [];
  for (const frame of entries.flatMap((entry) => [...encode(entry)])) {
    if (frame.data.startsWith('{"type":"RUN_STARTED"')) streams.push([]);
    streams.at(-1)!.push(frame);
  }
  return streams;
};

/** Reads the streams with one client, which answers every ask. */
const read = async (create: (typeof clients)[number][2], streams: readonly Frame[][]): Promise<TestedClient> => {
  const left = [...streams];
  const client = create({
    url: "http://127.0.0.1/",
    fetch: () =>
      Promise.resolve(
        new Response(left.shift()!.map(frameText).join(""), { headers: { "content-type": "text/event-stream" } }),
      ),
  });
  client.setMessages([{ id: "u1", role: "user", content: "hi" }]);
  while (left.length > 0)
    await client.runAgent({
      resume: client.pendingInterrupts.map(({ id }) => ({
        interruptId: id,
        status: "resolved",
        payload: { approved: true },
      })),
    });
  return client;
};

const textOf = (client: TestedClient, isRoot = true) =>
  client.messages
    .filter(({ role, subagentRunId }) => role === "assistant" && (subagentRunId === undefined) === isRoot)
    .map(({ content }) => content ?? "")
    .join("");

const all = <Type extends EventType>(entries: readonly Entry[], type: Type) =>
  entries.flatMap(({ event }) => (event.type === type ? [event as EventOf<Type>] : []));

/** The facts of the log, as far as a client can show them. */
const factsOf = (entries: readonly Entry[]) => {
  const toolTexts = new Set(all(entries, "text-start").flatMap(({ part, call }) => (call === undefined ? [] : [part])));
  const words = (isRoot: boolean) =>
    all(entries, "text-delta")
      .filter(({ agent, part }) => (agent === undefined) === isRoot && !toolTexts.has(part))
      .toSorted((one, other) => order(entries, one.part) - order(entries, other.part))
      .map(({ delta }) => delta)
      .join("");
  const deferred = new Set(
    all(entries, "tool-end").flatMap(({ call, outcome }) => (outcome === "deferred" ? [call] : [])),
  );
  return {
    text: words(true),
    inner: words(false),
    calls: all(entries, "tool-start")
      .map(({ call, name }) => `${call} ${name}`)
      .toSorted(),
    answered: all(entries, "tool-end")
      .map(({ call }) => call)
      .filter((call) => !deferred.has(call))
      .toSorted(),
    thoughts: all(entries, "thinking-start")
      .map(({ part }) =>
        all(entries, "thinking-delta")
          .flatMap((event) => (event.part === part ? [event.delta] : []))
          .join(""),
      )
      .toSorted(),
  };
};
const order = (entries: readonly Entry[], part: string) =>
  entries.findIndex(({ event }) => event.type === "text-start" && event.part === part);

const shownBy = (client: TestedClient) => ({
  text: textOf(client),
  inner: textOf(client, false),
  calls: client.messages
    .flatMap(({ toolCalls = [] }) => toolCalls.map(({ id, function: { name } }) => `${id} ${name}`))
    .toSorted(),
  answered: client.messages.flatMap(({ role, toolCallId }) => (role === "tool" ? [toolCallId] : [])).toSorted(),
  thoughts: client.messages.flatMap(({ role, content }) => (role === "reasoning" ? [content ?? ""] : [])).toSorted(),
});

describe.each(clients)("@ag-ui/client %s", (_, style, create) => {
  test.each(goldenRuns.map(({ name }) => name))("accepts every event of %s and shows its content", async (name) => {
    const { entries } = goldenRuns.find((run) => run.name === name)!;
    const end = all(entries, "run-end")[0]!;
    for (const extensions of [false, true]) {
      const streams = streamsOf(entries, `${style} client-run`, extensions);
      const client = await withoutWarnings(() => read(create, streams));
      expect(shownBy(client)).toEqual(factsOf(entries));
      expect(client.pendingInterrupts).toEqual([]);
      const first = JSON.parse(streams[0]![0]!.data) as object;
      expect(first).toMatchObject({ type: "RUN_STARTED", runId: "client-run" });
      const last = JSON.parse(streams.at(-1)!.at(-1)!.data) as { type: string };
      expect(last.type).toBe(end.outcome === "interrupted" || end.outcome === "error" ? "RUN_ERROR" : "RUN_FINISHED");
    }
  });

  test("accepts any log", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const streams = streamsOf(generateLog(seed), `${style} r`, seed % 2 === 0);
      await withoutWarnings(async () => await read(create, streams)).catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error });
      });
    }
  });
});
