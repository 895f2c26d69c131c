import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import type { Command, Dialect, Frame } from "../../src/dialect.ts";
import type { Entry, Event, EventOf } from "../../src/events.ts";
import { Refusal } from "../../src/source.ts";
import { play } from "../running.ts";

const RUNS = path.join(import.meta.dirname, "../../golden/runs");

/** Every recorded run, by name. */
export const goldenRuns: readonly (readonly [name: string, entries: readonly Entry[]])[] = readdirSync(RUNS)
  .filter((file) => file.endsWith(".jsonl"))
  .map((file) => [
    path.basename(file, ".jsonl"),
    readFileSync(path.join(RUNS, file), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Entry),
  ]);

export const link = ({ file }: { file: string }): string => `http://runcast/files/${file}`;

export const numbered = (events: readonly Event[]): Entry[] =>
  events.map((event, index) => ({ seq: index + 1, at: 1_700_000_000_000 + index, event }));

export const encoded = (dialect: Dialect, entries: readonly Entry[], extensions = false): Frame[] => {
  const encode = dialect.encode({ link, ...(extensions && { extensions }) });
  return entries.flatMap((entry) => encode(entry));
};

export const decoded = (dialect: Dialect, frames: readonly Frame[]): Event[] => {
  const decode = dialect.decode();
  return frames.flatMap((frame) => decode(frame));
};

/** The log of the run that this response streams. */
export const entriesOf = async (url: string, response: Response): Promise<readonly Entry[]> => {
  const exported = await fetch(`${url}/runs/${response.headers.get("runcast-run")}/export.jsonl`);
  const lines = (await exported.text()).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Entry);
};

/** The data for clients that know only the `data:` lines of SSE. */
export async function* dataLines(response: Response): AsyncGenerator<string> {
  let rest = "";
  for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) if (line.startsWith("data: ")) yield line.slice(6);
  }
}

/** Plays the events of these frames through a runner. Fails the test if its log is not grammatical. */
export const played = async (dialect: Dialect, frames: readonly Frame[]): Promise<Event[]> => {
  const { events } = await play(async function* () {
    yield* decoded(dialect, frames);
  });
  return events;
};

export const jsonOf = (frames: readonly Frame[]): unknown[] => frames.map(({ data }) => JSON.parse(data) as unknown);

/** Compares the values of the golden's keys, in the golden's order. Ignores other keys. */
export const expectGolden = (frames: readonly Frame[], golden: readonly string[]): void => {
  const values = jsonOf(frames);
  expect(values.length).toBe(golden.length);
  golden.forEach((line, index) => {
    const expected: unknown = JSON.parse(line);
    expect(JSON.stringify(only(values[index], expected))).toBe(JSON.stringify(expected));
  });
};

const only = (value: unknown, sample: unknown): unknown => {
  if (!isObject(value) || !isObject(sample)) return value;
  const kept = Object.keys(value).filter((key) => key in sample);
  return Object.fromEntries(kept.map((key) => [key, only(value[key], sample[key])]));
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads a request as the server does: the body as JSON, the agent from the path. */
export const read = (
  dialect: Dialect,
  asked: { method?: string; path: string; headers?: Record<string, string>; body?: unknown },
): Command => {
  const { method = "POST", headers = {} } = asked;
  const parts = asked.path.split("/");
  for (const route of dialect.routes) {
    const segments = route.path.split("/");
    const fits = segments.length === parts.length && segments.every((one, at) => one === parts[at] || one[0] === ":");
    if (!fits || route.method !== method) continue;
    const named = segments.flatMap((one, at) =>
      one[0] === ":" ? [[one.slice(1), decodeURIComponent(parts[at]!)] as const] : [],
    );
    const body = typeof asked.body === "string" ? (JSON.parse(asked.body) as unknown) : asked.body;
    return dialect.read(route, {
      params: Object.fromEntries(named),
      query: new URLSearchParams(),
      headers: new Headers(headers),
      body,
    });
  }
  throw new Error(`no route for ${asked.path}`);
};

export const refused = (act: () => unknown): Refusal => {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown;
    throw thrown;
  }
  throw new Error("was not refused");
};

/** A log of one root step with a call that executes and ends like this. */
export const withCall = (end: Omit<EventOf<"tool-end">, "type" | "call">, name = "look"): Entry[] =>
  numbered([
    { type: "run-start", protocol: 1, run: "r", name: "test" },
    { type: "step-start", step: "s" },
    { type: "tool-start", call: "c", name },
    { type: "tool-input-delta", call: "c", delta: '{"path":' },
    { type: "tool-input-delta", call: "c", delta: '"a.txt"}' },
    { type: "tool-input-end", call: "c" },
    { type: "step-end", step: "s", finish: "tools" },
    ...(end.outcome === "denied" || end.outcome === "deferred" ? [] : [{ type: "tool-execute", call: "c" } as const]),
    { type: "tool-end", call: "c", ...end },
    { type: "run-end", outcome: "done" },
  ]);
