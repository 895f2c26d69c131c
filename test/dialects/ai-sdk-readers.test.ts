import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aiSdk } from "../../src/dialects/ai-sdk.ts";
import type { Entry, EventOf } from "../../src/events.ts";
import { createSegments } from "../../src/segments.ts";
import { frameText } from "../../src/sse.ts";
import { createState, fold } from "../../src/state.ts";
import { goldenRuns } from "../contracts/dialect-variants.ts";
import { arbitraryLog } from "../generate.ts";
import { readResponse, sdks, type UIMessage, type UIPart, type Version, VERSIONS } from "./ai-sdk-client.ts";

const encoder = new TextEncoder();
const link = () => "https://example.org/file";

/** The response bodies that a client of this version gets, one per segment. */
const bodiesOf = (version: Version, entries: readonly Entry[]): string[] => {
  const encode = aiSdk.encode({ style: `${version}`, link, page: () => "https://example.org/?run=r" });
  const segments = createSegments();
  const bodies = [""];
  for (const entry of entries) {
    bodies[bodies.length - 1] += encode(entry).map(frameText).join("");
    if (segments.take(entry.event)) bodies.push("");
  }
  return bodies.filter((body) => body !== "");
};

function* split(text: string, size: number): Generator<Uint8Array> {
  const bytes = encoder.encode(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.slice(from, from + size);
}

/** Reads the responses one after the other, as a page does after its user has answered. */
const read = async (version: Version, entries: readonly Entry[], size: number): Promise<UIMessage> => {
  let message: UIMessage | undefined;
  for (const body of bodiesOf(version, entries)) {
    message = await readResponse(version, split(body, size), message && answered(message, entries));
  }
  return message!;
};

const answered = (message: UIMessage, entries: readonly Entry[]): UIMessage => ({
  ...message,
  parts: message.parts.map((part) => {
    const { id } = part.approval ?? {};
    if (part.state !== "approval-requested" || id === undefined) return part;
    const end = entries.find(({ event }) => event.type === "ask-end" && event.ask === id)?.event as EventOf<"ask-end">;
    const approved = end.answer?.allow === true;
    return { ...part, state: "approval-responded", approval: { id, approved } };
  }),
});

const isTool = ({ type }: UIPart) => type === "dynamic-tool" || type.startsWith("tool-");
const endOf = (entries: readonly Entry[]) => {
  const end = entries.at(-1)?.event;
  return end?.type === "run-end" ? end : undefined;
};
const endsIn = (entries: readonly Entry[]) => endOf(entries)?.outcome;

/** The log's facts about the root agent, as a message should show them. */
const factsOf = (entries: readonly Entry[]) => {
  const state = createState();
  for (const entry of entries) fold(state, entry);
  const events = entries.map(({ event }) => event).filter(({ agent }) => agent === undefined);
  const words = (kind: "text" | "thinking") => {
    const ofTools = new Set(events.flatMap((event) => (event.type === "text-start" && event.call ? [event.part] : [])));
    return events
      .filter((event) => event.type === "text-delta" || event.type === "thinking-delta")
      .flatMap(({ type, part, delta }) => (type === `${kind}-delta` && !ofTools.has(part) ? [delta] : []))
      .join("");
  };
  const calls = events
    .filter((event) => event.type === "tool-start")
    .map(({ call, name }) => {
      const end = events.find((event) => event.type === "tool-end" && event.call === call) as EventOf<"tool-end">;
      const edited = events.find((event) => event.type === "tool-execute" && event.call === call);
      const inputEnd = events.find((event) => event.type === "tool-input-end" && event.call === call);
      const text = events
        .flatMap((event) => (event.type === "tool-input-delta" && event.call === call ? [event.delta] : []))
        .join("");
      const input =
        (edited as EventOf<"tool-execute"> | undefined)?.input ??
        (inputEnd as EventOf<"tool-input-end"> | undefined)?.input ??
        (JSON.parse(text || "{}") as unknown);
      return { call, name, input, outcome: end.outcome, error: end.error?.message };
    });
  return { text: words("text"), thinking: words("thinking"), calls };
};

describe.each(VERSIONS)("the reader of AI SDK %i", (version) => {
  const sdk = sdks[version];

  test.each(goldenRuns.map(({ name }) => name))("shows the story %s, however the bytes are split", async (name) => {
    const { entries } = goldenRuns.find((run) => run.name === name)!;
    const facts = factsOf(entries);
    const outcome = endsIn(entries);
    for (const size of [7, 1000, Infinity]) {
      const reading = read(version, entries, size);
      if (outcome === "error" || outcome === "interrupted") {
        await expect(reading).rejects.toThrow(endOf(entries)!.error!.message);
        continue;
      }
      const { id, parts } = await reading;
      expect(id).toBe((entries[0]!.event as EventOf<"run-start">).run);
      const texts = (type: string) =>
        parts
          .filter((part) => part.type === type)
          .map(({ text }) => text)
          .join("");
      expect(texts("text")).toBe(facts.text);
      expect(texts("reasoning")).toBe(facts.thinking);
      for (const { call, name: toolName, input, outcome: ended, error } of facts.calls) {
        const part = parts.find(({ toolCallId }) => toolCallId === call)!;
        expect(part.type === "dynamic-tool" ? part.toolName : part.type.slice("tool-".length)).toBe(toolName);
        expect(part.input).toEqual(input);
        expect(part.state).toBe(stateOf(version, ended));
        if (error !== undefined) expect(part.errorText).toBe(error);
        if (ended === "ok") expect(part.output).toBeDefined();
      }
      // Only the app's own calls trigger another request.
      const messages = [
        { id: "u", role: "user" as const, parts: [] },
        { id, role: "assistant" as const, parts },
      ];
      expect(sdk.lastAssistantMessageIsCompleteWithToolCalls({ messages })).toBe(false);
    }
  });

  test("accepts every chunk of any log, replayed as one response", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog(), async (entries) => {
        if (endsIn(entries) === "error" || endsIn(entries) === "interrupted") return;
        const message = await readResponse(version, split(bodiesOf(version, entries).join(""), 1 << 16));
        expect(message?.parts.filter(isTool).every(({ toolCallId }) => typeof toolCallId === "string")).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  test("shows that the user is asked, and continues in the same message", async () => {
    const { entries } = goldenRuns.find(({ name }) => name === "approval")!;
    const bodies = bodiesOf(version, entries);
    expect(bodies).toHaveLength(2);
    const asked = (await readResponse(version, split(bodies[0]!, 100)))!;
    const part = asked.parts.find(isTool)!;
    if (version === 5) {
      expect(part.state).toBe("input-available");
      expect(asked.parts.find(({ type }) => type === "data-ask")?.data).toMatchObject({
        kind: "approval",
        call: part.toolCallId,
        url: "https://example.org/?run=r",
      });
      return;
    }
    expect(part).toMatchObject({ type: "dynamic-tool", state: "approval-requested" });
    const messages = [answered(asked, entries)];
    expect(sdk.lastAssistantMessageIsCompleteWithApprovalResponses?.({ messages })).toBe(true);
    const whole = (await readResponse(version, split(bodies[1]!, 100), messages[0]))!;
    expect(whole.id).toBe(asked.id);
    expect(whole.parts.slice(0, 2)).toEqual(asked.parts.slice(0, 2));
    expect(whole.parts.filter(isTool)).toHaveLength(1);
  });
});

const stateOf = (version: Version, outcome: EventOf<"tool-end">["outcome"]): string => {
  if (outcome === "ok") return "output-available";
  if (outcome === "deferred") return "input-available";
  return outcome === "denied" && version > 5 ? "output-denied" : "output-error";
};
