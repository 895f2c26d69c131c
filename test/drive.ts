import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { Answer, Event, EventOf, EventType, Json } from "../src/events.ts";
import { splitProviderId } from "../src/ids.ts";
import { type Beat, type DemoStory, demo } from "../src/models/demo.ts";
import type { RunContext, RunRequest, Source } from "../src/source.ts";
import { createVerifier } from "../src/verify.ts";

export interface Driving {
  readonly events: readonly Event[];
  cancelRun(): void;
  cancel(kind: "call" | "agent", id: string): void;
  answer(ask: string, answer: Answer | "expired"): void;
  revoke(ask: string): void;
}

export interface Drive {
  readonly events: readonly Event[];
  readonly error: unknown;
  readonly files: ReadonlyMap<string, Uint8Array | string>;
  all<Type extends EventType>(type: Type): EventOf<Type>[];
  /** The types of one call's events. */
  typesOf(call: string): string[];
  text(agent?: string): string;
}

/**
 * Reads a source to its end as a runner would, and fails at the first event that breaks the grammar. With `closesAsks:
 * false`, the source must close the asks of cancelled items.
 */
export const drive = async (
  source: Source,
  asked: string | RunRequest,
  on: (event: Event, driving: Driving) => unknown = () => {},
  { closesAsks = true } = {},
): Promise<Drive> => {
  const request: RunRequest = typeof asked === "string" ? { messages: [user(asked)] } : asked;
  const verifier = createVerifier();
  const events: Event[] = [];
  const files = new Map<string, Uint8Array | string>();
  const run = new AbortController();
  const stops = new Map<string, AbortController>();
  const asks = new Map<
    string,
    { start: EventOf<"ask-start">; end: PromiseWithResolvers<Awaited<ReturnType<RunContext["answerTo"]>>> }
  >();
  const revoked = new Set<string>();
  let error: unknown;

  const names = readableIds();
  const write = (event: Event): Event => {
    const wrong = verifier.check(event);
    if (wrong) throw new Error(`${wrong}: ${JSON.stringify(event)}`);
    const readable = names.read(event);
    events.push(readable);
    return readable;
  };
  const endAsk = (ask: string, end: Omit<EventOf<"ask-end">, "type" | "ask">) => {
    const found = asks.get(ask);
    if (!found || !verifier.asks.get(ask)?.open) return;
    const { agent } = found.start;
    write({ type: "ask-end", ask, ...end, ...(agent !== undefined && { agent }) });
    found.end.resolve(end);
  };
  const endAsks = () => {
    if (closesAsks)
      for (const { start } of asks.values()) if (signalOf(start).aborted) endAsk(start.ask, { outcome: "cancelled" });
  };
  const stopOf = (id: string) => stops.get(id) ?? stops.set(id, new AbortController()).get(id)!;
  const signalOf = ({ call, agent }: EventOf<"ask-start">) =>
    AbortSignal.any([run.signal, stopOf(`call ${call}`).signal, stopOf(`agent ${agent}`).signal]);

  const context: RunContext = {
    run: "run",
    agent: "test",
    signal: run.signal,
    signalOf: (kind, id) => AbortSignal.any([run.signal, stopOf(`${kind} ${id}`).signal]),
    answerTo(ask) {
      const found = asks.get(ask);
      if (!found) throw new Error(`${ask} was not yielded yet`);
      return found.end.promise;
    },
    isRevoked: (ask) => revoked.has(ask),
    stored: () => Promise.resolve(),
    async put(bytes, file) {
      const id = `stored-${files.size + 1}`;
      files.set(id, bytes);
      return { file: id, bytes: Buffer.byteLength(bytes), ...file };
    },
    async get(file) {
      const bytes = files.get(file);
      return typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    },
  };
  const driving: Driving = {
    events,
    cancelRun() {
      run.abort({ code: "cancelled", message: "stopped" });
      endAsks();
    },
    cancel(kind, id) {
      stopOf(`${kind} ${kind === "call" ? names.original(id) : id}`).abort({ code: "cancelled", message: "stopped" });
      endAsks();
    },
    revoke(ask) {
      revoked.add(ask);
      write({ type: "data", name: "allowed", id: ask, value: false });
    },
    answer: (ask, answer) => endAsk(ask, answer === "expired" ? { outcome: answer } : { outcome: "answered", answer }),
  };

  try {
    for await (const event of source(request, context)) {
      const readable = write(event);
      if (event.type === "ask-start") asks.set(event.ask, { start: event, end: Promise.withResolvers() });
      await on(readable, driving);
    }
  } catch (thrown) {
    error = thrown;
    if (thrown instanceof Error && thrown.constructor === Error) throw thrown;
  }
  if (verifier.started && !verifier.ended) {
    const wrong = verifier.check({ type: "run-end", outcome: "done" });
    if (wrong) throw new Error(wrong);
  }
  return {
    events,
    error,
    files,
    all: (type) => events.filter((event) => event.type === type) as never,
    typesOf: (call) => events.filter((event) => "call" in event && event.call === call).map(({ type }) => type),
    text: (agent) =>
      events.map((event) => (event.type === "text-delta" && event.agent === agent ? event.delta : "")).join(""),
  };
};

/** Maps call ids back to those that the model gave, as in the script, because the log's ids are long. */
const readableIds = () => {
  const names = new Map<string, string>();
  const nameOf = (call: string) => names.get(call) ?? call;
  return {
    original: (name: string) => [...names].find(([, given]) => given === name)?.[0] ?? name,
    read: (event: Event): Event => {
      const { id, meta } = splitProviderId(event.meta);
      if (event.type === "tool-start" && id && ![...names.values()].includes(id)) names.set(event.call, id);
      const { meta: _, ...rest } = event;
      return {
        ...rest,
        ...(meta !== undefined && { meta }),
        ...("call" in event && event.call !== undefined && { call: nameOf(event.call) }),
        ...("awaiting" in event && event.awaiting && { awaiting: event.awaiting.map(nameOf) }),
      } as Event;
    },
  };
};

export const user = (text: string): RunRequest["messages"][number] => ({
  role: "user",
  content: [{ type: "text", text }],
});

/** A script for the demo model, played by the agent whose last user message is `message`. */
export const script = (message: string, ...steps: (readonly Beat[] | DemoStory["steps"][number])[]): DemoStory => ({
  name: message,
  message,
  description: "",
  matches: (turn) => turn.message === message,
  steps: steps.map((step) => (typeof step === "function" ? step : () => step)),
});

/** The demo model at full speed, with the requests it received. */
export const playing = (
  ...stories: DemoStory[]
): { model: LanguageModelV4; requests: LanguageModelV4CallOptions[] } => {
  const requests: LanguageModelV4CallOptions[] = [];
  const played = demo({ speed: Infinity, stories });
  const doStream: LanguageModelV4["doStream"] = (options) => {
    requests.push(options);
    return played.doStream(options);
  };
  return { model: { ...played, doStream }, requests };
};

/** The tool results in a request: name, kind of output, and output. */
export const toolResults = (request: LanguageModelV4CallOptions | undefined): [string, string, Json][] =>
  (request?.prompt ?? []).flatMap((message) =>
    message.role !== "tool"
      ? []
      : message.content.flatMap((part) =>
          part.type === "tool-result"
            ? [[part.toolName, part.output.type, "value" in part.output ? (part.output.value as Json) : null]]
            : [],
        ),
  ) as [string, string, Json][];
