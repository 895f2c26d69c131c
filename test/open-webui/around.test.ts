import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import { withHeight } from "../../src/dialects/open-webui/embed-page.ts";
import type { Entry } from "../../src/events.ts";
import { goldenRuns } from "../contracts/dialect-variants.ts";
import { arbitraryLog } from "../generate.ts";
import { generations } from "./generations.ts";
import { startShowing } from "./showing.ts";

const golden = goldenRuns.map(({ entries }) => entries).filter(({ length }) => length < 100);
const runs = [...golden, ...fc.sample(arbitraryLog(2), { numRuns: 8, seed: 11 })];

/** What must surround a message, derived only from the log. */
const createAround = () => {
  const files = new Map<string, string | undefined>();
  const embeds = new Map<string, string>();
  const todos = { value: [] as unknown[] };
  const count = { citations: 0, results: 0, notices: 0 };
  return {
    files,
    embeds,
    todos,
    count,
    take({ event }: Entry): void {
      if (event.type === "citation") count.citations++;
      if (event.type === "tool-end") count.results++;
      if (event.type === "notice") count.notices++;
      if (event.type === "embed" && (event.html ?? event.url))
        embeds.set(event.embed, event.html === undefined ? event.url! : withHeight(event.html));
      if (event.type === "file") {
        files.delete(event.name);
        if (event.change !== "deleted") files.set(event.name, event.mediaType);
      }
    },
  };
};

describe.each(generations)("around a message in generation $name", (generation) => {
  test.each(["cards", "citations", "live"])(
    "%s: sources, files, embeds and toasts are those of the run, live and after a reload",
    (style) => {
      for (const entries of runs) {
        const showing = startShowing(openWebui, style, generation);
        const { webui } = showing;
        const around = createAround();
        const expectAround = (display: ReturnType<typeof webui.display>, embeds: readonly string[]) => {
          const { citations, results } = around.count;
          expect(display.sources).toHaveLength(citations + (style === "citations" ? results : 0));
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
          expect(webui.message.toasts).toHaveLength(around.count.notices);
          expect(webui.display().files).toHaveLength(around.files.size);
          // Over a connection, any event may be the last one received, so nothing may be left animated.
          expect(webui.display().status?.shimmers, `after ${entry.event.type}`).toBe(false);
        }
        webui.end();
        expectAround(webui.reloaded(), [...view("read"), ...around.embeds.values()]);
        expect(webui.reloaded().files).toEqual(webui.display().files);
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
      expect(showing.webui.display().error !== undefined).toBe(isError);
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
