import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import { withHeight } from "../../src/dialects/frames/embed-page.ts";
import type { Entry } from "../../src/events.ts";
import type { CallNode, RunState } from "../../src/state.ts";
import { goldenRuns } from "../contracts/dialect-variants.ts";
import { endingOf } from "../dialects/ending.ts";
import { arbitraryLog } from "../generate.ts";
import type { Display } from "./display.ts";
import { readable } from "./expected.ts";
import { generations } from "./generations.ts";
import type { SavedMessage } from "./saved-message.ts";
import { startShowing } from "./showing.ts";

const golden = goldenRuns.map(({ entries }) => entries).filter(({ length }) => length < 100);
const runs = [...golden, ...fc.sample(arbitraryLog(2), { numRuns: 8, seed: 16 })];

interface ExpectedSource {
  readonly name: string;
  readonly url: string | undefined;
  /** What its text must contain. */
  readonly says: string;
  /** What else is stored with it: author and dates, or the arguments of a call. */
  readonly about: Readonly<Record<string, unknown>>;
}

/** Open WebUI renders names as Markdown, so they lose its characters. */
const nameOf = (text: string): string => text.replaceAll(/[<>&"'`*[\](){}!#|~$@\\]/g, "");
const textIn = (text: string): string => (readable(text) as string).trim();

/** What must surround a message, derived only from the log. */
const createAround = (style: string, state: RunState) => {
  const files = new Map<string, object>();
  const embeds = new Map<string, string>();
  const sources: ExpectedSource[] = [];
  const toasts: object[] = [];
  const agents = new Map<string, string>();
  const calls = new Map<string, string>();
  return {
    files,
    embeds,
    sources,
    toasts,
    take({ event }: Entry): void {
      if (event.type === "agent-start") agents.set(event.agent, event.name);
      if (event.type === "tool-start")
        calls.set(event.call, (event.agent === undefined ? "" : `${agents.get(event.agent)} › `) + event.name);
      if (event.type === "citation") {
        const { title, url, text, author, published, accessed } = event;
        sources.push({
          name: nameOf(title ?? url!),
          url,
          says: textIn(text || title || url!),
          about: {
            ...(author !== undefined && { author }),
            ...(published !== undefined && { publication_date: published }),
            ...(accessed !== undefined && { date_accessed: accessed }),
          },
        });
      }
      if (event.type === "tool-end" && style === "citations") {
        const isOk = event.outcome === "ok" || event.outcome === "deferred";
        const [part] = event.content ?? [];
        const body = event.error?.message ?? (part?.type === "text" ? part.text.slice(0, 1000) : "");
        sources.push({
          name: nameOf(`🔧 ${calls.get(event.call)}${isOk ? "" : " ✗"}`),
          url: undefined,
          says: textIn(body),
          about: { parameters: (state.nodes.get(event.call) as CallNode).input ?? {} },
        });
      }
      if (event.type === "notice") toasts.push({ type: event.level, content: readable(event.text) });
      if (event.type === "embed" && (event.html ?? event.url))
        embeds.set(event.embed, event.html === undefined ? event.url! : withHeight(event.html));
      if (event.type === "file") {
        files.delete(event.name);
        const url = event.file === undefined ? event.url : `https://runcast.example/files/${event.file}`;
        const type = event.mediaType?.startsWith("image/") ? "image" : "file";
        if (event.change !== "deleted") files.set(event.name, { type, url, name: event.name.replace(/^.*\//, "") });
      }
    },
  };
};

const expectSources = (shown: Display["sources"], expected: readonly ExpectedSource[]): void => {
  expect(shown.map(({ name, url }) => ({ name, url }))).toEqual(expected.map(({ name, url }) => ({ name, url })));
  for (const [index, { says }] of expected.entries()) expect(textIn(shown[index]!.text)).toContain(says);
};

const aboutStored = ({ sources = [] }: SavedMessage): readonly ExpectedSource["about"][] =>
  (sources as readonly { readonly metadata: readonly Record<string, unknown>[] }[]).flatMap(({ metadata }) =>
    metadata.map(({ source: _, name: __, url: ___, ...about }) => about),
  );

const ENDS: Readonly<Record<string, string>> = { done: "Complete", cancelled: "Stopped" };

test("the runs have everything that surrounds a message", () => {
  const events = runs.flat().map(({ event }) => event);
  const kinds = new Set(events.map(({ type }) => type));
  for (const type of ["citation", "file", "embed", "notice", "status"] as const) expect(kinds).toContain(type);
  const cited = new Set(events.flatMap((event) => (event.type === "citation" ? Object.keys(event) : [])));
  for (const field of ["author", "published", "accessed", "url", "text"]) expect(cited).toContain(field);
  const outcomes = new Set(events.flatMap((event) => (event.type === "run-end" ? [event.outcome] : [])));
  expect(outcomes).toEqual(new Set(["done", "error", "cancelled", "interrupted"]));
});

describe.each(generations)("around a message in generation $name", (generation) => {
  test.each(["cards", "citations", "live"])(
    "%s: sources, files, embeds and toasts are those of the run, live and after a reload",
    (style) => {
      for (const entries of runs) {
        const showing = startShowing(openWebui, style, generation);
        const { webui } = showing;
        const around = createAround(style, showing.state);
        const expectAround = (display: ReturnType<typeof webui.display>, embeds: readonly string[]) => {
          expectSources(display.sources, around.sources);
          expect(display.embeds).toEqual(embeds);
        };
        const view = (access: string) => (style === "live" ? [`https://runcast.example/live?token=${access}`] : []);
        for (const entry of entries) {
          showing.take(entry);
          around.take(entry);
          const isOver = entry.event.type === "run-end";
          const all = [...view(isOver ? "read" : "answer"), ...around.embeds.values()];
          expectAround(webui.display(), all);
          expectAround(webui.reloaded(), all);
          expect(webui.message.toasts).toEqual(around.toasts);
          // The latest one is the first.
          expect(webui.display().files).toMatchObject([...around.files.values()].toReversed());
          // Over a connection, any event may be the last one received, so nothing may be left animated.
          expect(webui.display().status?.shimmers, `after ${entry.event.type}`).toBe(false);
        }
        webui.end();
        expectAround(webui.reloaded(), [...view("read"), ...around.embeds.values()]);
        expect(aboutStored(webui.saved)).toEqual(around.sources.map(({ about }) => about));
        expect(webui.reloaded().files).toEqual(webui.display().files);
        const { outcome } = entries.at(-1)!.event as Extract<Entry["event"], { type: "run-end" }>;
        const { note } = endingOf(entries);
        expect(webui.display().status?.text).toContain(outcome === "done" && note ? note : (ENDS[outcome] ?? "Failed"));
        expect(webui.reloaded().status).toEqual(webui.display().status);
      }
    },
  );

  test("an error is shown as an error, live and after a reload, and nothing else is", () => {
    for (const entries of runs) {
      const showing = startShowing(openWebui, "cards", generation);
      for (const entry of entries) showing.take(entry);
      showing.webui.end();
      const end = entries.at(-1)!.event;
      const isError = end.type === "run-end" && (end.outcome === "error" || end.outcome === "interrupted");
      if (isError) expect(showing.webui.display().error).toContain(end.error?.message ?? end.outcome);
      else expect(showing.webui.display().error).toBeUndefined();
      expect(showing.webui.reloaded().error).toBe(showing.webui.display().error);
    }
  });

  test("the todos are the tasks", () => {
    const todos = (value: { id: string; text: string; status: string }[]): Entry["event"] => ({
      type: "data",
      name: "todos",
      value,
    });
    const showing = startShowing(openWebui, "cards", generation);
    const events: Entry["event"][] = [
      { type: "run-start", protocol: 1, run: "run_1", name: "agent" },
      todos([
        { id: "1", text: "look", status: "done" },
        { id: "2", text: "write", status: "active" },
      ]),
      { type: "data", name: "todos", patch: [{ op: "replace", path: "/1/status", value: "cancelled" }] },
    ];
    const statuses = events.map((event, index) => {
      showing.take({ seq: index + 1, at: index, event });
      return showing.webui.display().tasks.map((task) => (task as { status: string }).status);
    });
    expect(statuses).toEqual([[], ["completed", "in_progress"], ["completed", "cancelled"]]);
  });
});
